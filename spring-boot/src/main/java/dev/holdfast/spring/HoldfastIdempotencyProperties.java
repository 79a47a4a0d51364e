package dev.holdfast.spring;

import dev.holdfast.idempotency.Idempotency;
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
 * @param retention how long records are kept; by default as long as the library keeps them
 * @param waiting how long a duplicate waits for the one that is at work, but for requests of the
 *     filter, which wait as its options say; by default as long as the library lets them
 * @param largestReply how large an answer may be; by default as large as the library takes them
 * @param cleanUpEvery how often records whose time is over are removed; 0 for never
 * @param filter whether and where requests with the header Idempotency-Key take effect once
 */
@ConfigurationProperties("holdfast.idempotency")
public record HoldfastIdempotencyProperties(
    @Nullable Duration retention,
    @Nullable Duration waiting,
    @Nullable DataSize largestReply,
    @DefaultValue("10m") Duration cleanUpEvery,
    @DefaultValue Filter filter) {

  /** With what is said here; the rest stays as it is. */
  Idempotency applyTo(Idempotency idempotency) {
    Idempotency set = idempotency;
    if (retention != null) {
      set = set.retention(retention);
    }
    if (waiting != null) {
      set = set.waiting(waiting);
    }
    if (largestReply != null) {
      // what is no int is too large in any case, and refused as such
      set = set.largestReply((int) Math.min(largestReply.toBytes(), Integer.MAX_VALUE));
    }
    return set;
  }

  /**
   * Where the filter for the header Idempotency-Key is.
   *
   * @param enabled whether there is a filter for the header Idempotency-Key; it needs
   *     holdfast-servlet
   * @param urlPatterns which paths the filter is mapped to, in the patterns of servlets
   * @param order the place of the filter among others; by default after that of Spring Security,
   *     which finds out who sends a request and is at -100
   * @param claimedUrlPatterns which of these paths are under claims where others are in
   *     transactions, in the patterns of servlets: those of async requests, and of flows
   * @param documentation where senders can read how keys are to be used: refusals link to it; by
   *     default as the options of the filter say
   */
  public record Filter(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("/*") List<String> urlPatterns,
      @DefaultValue("-50") int order,
      @DefaultValue List<String> claimedUrlPatterns,
      @Nullable URI documentation) {

    public Filter {
      urlPatterns = List.copyOf(urlPatterns);
      claimedUrlPatterns = List.copyOf(claimedUrlPatterns);
      // a servlet container would map a filter without patterns to every path
      Require.that(!urlPatterns.isEmpty(), "url-patterns must have one at least, had none");
    }
  }
}
