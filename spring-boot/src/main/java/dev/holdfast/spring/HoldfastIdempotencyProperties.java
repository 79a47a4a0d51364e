package dev.holdfast.spring;

import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.internal.Require;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of idempotency in a Spring Boot application. Immutable.
 *
 * @param retention how long records are kept; 24 h by default
 * @param waitTimeout how long a duplicate waits for a request that is in progress; 5 s by default.
 *     Requests of the filter wait as its options say
 * @param maxResultSize the maximum size of a result; 1 MiB by default
 * @param cleanupInterval how often expired records are deleted; 0 for never
 * @param filter whether and where requests with the header Idempotency-Key are executed once
 */
@ConfigurationProperties("holdfast.idempotency")
public record HoldfastIdempotencyProperties(
    @Nullable Duration retention,
    @Nullable Duration waitTimeout,
    @Nullable DataSize maxResultSize,
    @DefaultValue("10m") Duration cleanupInterval,
    @DefaultValue Filter filter) {

  /** The options that these settings make; the others have their defaults. */
  IdempotencyOptions options() {
    IdempotencyOptions.Builder options = IdempotencyOptions.builder();
    if (retention != null) {
      options.retention(retention);
    }
    if (waitTimeout != null) {
      options.waitTimeout(waitTimeout);
    }
    if (maxResultSize != null) {
      // what does not fit an int is too large, and is rejected
      options.maxResultSize((int) Math.min(maxResultSize.toBytes(), Integer.MAX_VALUE));
    }
    return options.build();
  }

  /**
   * The filter for the header Idempotency-Key.
   *
   * @param enabled whether there is a filter; it needs holdfast-servlet
   * @param urlPatterns the paths of the filter, in the patterns of servlets
   * @param order the order of the filter; by default after Spring Security, which is at -100
   * @param leaseUrlPatterns the paths that use leases if others are in transactions, in the
   *     patterns of servlets: those of asynchronous requests and of workflows
   * @param documentation a page that explains how to use keys; problems link to it
   */
  public record Filter(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("/*") List<String> urlPatterns,
      @DefaultValue("-50") int order,
      @DefaultValue List<String> leaseUrlPatterns,
      @Nullable URI documentation) {

    public Filter {
      urlPatterns = List.copyOf(urlPatterns);
      leaseUrlPatterns = List.copyOf(leaseUrlPatterns);
      // a servlet container would map a filter without patterns to every path
      Require.that(!urlPatterns.isEmpty(), "url-patterns must have one at least, had none");
    }
  }
}
