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
 * @param enabled whether this application delivers webhooks; if not, another instance must
 * @param allow private targets that may be called: blocks of addresses, addresses and names, the
 *     latter two also with a port
 * @param httpsOnly whether calls by http are rejected
 * @param ports the allowed ports
 * @param maxRequestTimeout maximum timeout of a call
 * @param maxBodySize maximum size of the body of a call
 * @param maxRetryAfter maximum delay that a target may ask for with {@code Retry-After}
 * @param concurrency maximum number of calls in flight, of all targets together; rejected if it
 *     does not fit into the heap; by default 2,000, or less if the heap is small
 * @param maxConcurrencyPerTarget maximum number of calls in flight per target and instance
 * @param circuitMaxWait maximum time without calls to a failing target
 * @param bodiesInFlight maximum size of all bodies in flight
 * @param queues the queues of the worker, each with this concurrency; * for all queues, none if the
 *     application sets them
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
