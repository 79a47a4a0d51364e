package dev.holdfast.idempotency;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@link Idempotency} and of workflows.
 *
 * <p>Immutable and thread-safe. Wrong values are rejected by the method of the builder that sets
 * them.
 */
public final class IdempotencyOptions {
  private static final int MAX_MAX_RESULT_SIZE = 15 << 20;
  private static final Duration MAX_WAIT_TIMEOUT = Duration.ofMinutes(10);
  private static final Duration MAX_RETENTION = Duration.ofDays(3660);
  private static final Duration MIN_LEASE = Duration.ofMillis(100);
  private static final Duration MAX_LEASE = Duration.ofHours(1);

  private static final IdempotencyOptions DEFAULTS = builder().build();

  private final Duration retention;
  private final Duration waitTimeout;
  private final Duration leaseDuration;
  private final int maxResultSize;
  private final @Nullable LargeResultStore largeResultStore;
  private final Function<? super Exception, Optional<RejectedException>> rejectOn;

  private IdempotencyOptions(Builder builder) {
    this.retention = builder.retention;
    this.waitTimeout = builder.waitTimeout;
    this.leaseDuration = builder.leaseDuration;
    this.maxResultSize = builder.maxResultSize;
    this.largeResultStore = builder.largeResultStore;
    this.rejectOn = builder.rejectOn;
  }

  /** The defaults of all options. */
  public static IdempotencyOptions ofDefaults() {
    return DEFAULTS;
  }

  /** A builder with the defaults of all options. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder with these options. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.retention = retention;
    builder.waitTimeout = waitTimeout;
    builder.leaseDuration = leaseDuration;
    builder.maxResultSize = maxResultSize;
    builder.largeResultStore = largeResultStore;
    builder.rejectOn = rejectOn;
    return builder;
  }

  public Duration retention() {
    return retention;
  }

  public Duration waitTimeout() {
    return waitTimeout;
  }

  public Duration leaseDuration() {
    return leaseDuration;
  }

  /** In bytes. */
  public int maxResultSize() {
    return maxResultSize;
  }

  public Optional<LargeResultStore> largeResultStore() {
    return Optional.ofNullable(largeResultStore);
  }

  public Function<? super Exception, Optional<RejectedException>> rejectOn() {
    return rejectOn;
  }

  static Duration requireWaitTimeout(Duration timeout) {
    return Require.between(timeout, Duration.ZERO, MAX_WAIT_TIMEOUT, "the wait timeout");
  }

  static Duration requireRetention(Duration retention) {
    return Require.between(retention, Duration.ofMillis(1), MAX_RETENTION, "retention");
  }

  /** Builds {@link IdempotencyOptions}. Not thread-safe. */
  public static final class Builder {
    private Duration retention = Duration.ofDays(1);
    private Duration waitTimeout = Duration.ofSeconds(5);
    private Duration leaseDuration = Duration.ofSeconds(30);
    private int maxResultSize = 1 << 20;
    private @Nullable LargeResultStore largeResultStore;
    private Function<? super Exception, Optional<RejectedException>> rejectOn =
        failure -> Optional.empty();

    private Builder() {}

    /**
     * How long a record is kept, counted from the start of its request and at least half as long
     * after its result; 24 h by default, from 1 ms to 3660 days. Afterwards the key is new again.
     */
    public Builder retention(Duration retention) {
      this.retention = requireRetention(retention);
      return this;
    }

    /**
     * How long a duplicate waits for a request that is in progress; 5 s by default, from 0 (do not
     * wait) to 10 min. A duplicate that does not wait still takes about 0.1 s on H2 and 1 s on
     * MySQL. MariaDB and MySQL round up to whole seconds.
     */
    public Builder waitTimeout(Duration timeout) {
      this.waitTimeout = requireWaitTimeout(timeout);
      return this;
    }

    /**
     * How long the lease of a workflow lasts without a renewal; 30 s by default, from 100 ms to 1
     * h. It is renewed after a third of this time. After a crash the request stays in progress for
     * this long. Not used by {@link Idempotency}.
     */
    public Builder leaseDuration(Duration duration) {
      this.leaseDuration = Require.between(duration, MIN_LEASE, MAX_LEASE, "the lease duration");
      return this;
    }

    /**
     * How many bytes a result, a step or an input may have; 1 MiB by default, from 1 byte to 15
     * MiB.
     */
    public Builder maxResultSize(int bytes) {
      this.maxResultSize =
          Require.between(bytes, 1, MAX_MAX_RESULT_SIZE, "the maximum size of a result in bytes");
      return this;
    }

    /** Where results above {@link #maxResultSize} are stored; by default they are rejected. */
    public Builder largeResultStore(LargeResultStore store) {
      this.largeResultStore = Require.notNull(store, "the store of large results");
      return this;
    }

    /**
     * Which failures of the work are business rejections, whose result is recorded and replayed. By
     * default only {@link RejectedException} is.
     */
    public Builder rejectOn(Function<? super Exception, Optional<RejectedException>> mapper) {
      this.rejectOn = Require.notNull(mapper, "rejectOn");
      return this;
    }

    public IdempotencyOptions build() {
      return new IdempotencyOptions(this);
    }
  }
}
