package dev.holdfast.web;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of the delivery of webhooks. Immutable.
 *
 * @param enabled whether this application delivers webhooks; if not, others must
 * @param allow what may be called although it is not on the public internet: blocks of addresses,
 *     addresses and names, the latter two also with a port
 * @param httpsOnly whether calls by http are refused
 * @param ports which ports may be called
 * @param maxRequestTimeout how long a call may take at most
 * @param maxBodySize how large the body of a call may be
 * @param maxRetryAfter how long a target may ask to be left alone
 * @param concurrency how many calls are in flight at once, of all targets together; refused where
 *     it does not fit into the heap, 2,000 or what fits where it is not set
 * @param maxConcurrencyPerTarget how many calls a target gets at a time, from each instance
 * @param circuitMaxWait how long a target that fails is left alone at most before it is tried again
 * @param bodiesInFlight how large all bodies under way may be together
 * @param queues the queues of the worker, each with the concurrency; * for every queue, none to
 *     leave it to the application
 */
@ConfigurationProperties("holdfast.web.webhook")
public record HoldfastWebhookProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue List<String> allow,
    @DefaultValue("false") boolean httpsOnly,
    @DefaultValue("80,443,1024-65535") String ports,
    @DefaultValue("60s") Duration maxRequestTimeout,
    @DefaultValue("256KB") DataSize maxBodySize,
    @DefaultValue("1d") Duration maxRetryAfter,
    @Nullable Integer concurrency,
    @DefaultValue("64") int maxConcurrencyPerTarget,
    @DefaultValue("5m") Duration circuitMaxWait,
    @DefaultValue("64MB") DataSize bodiesInFlight,
    @DefaultValue List<String> queues) {}
