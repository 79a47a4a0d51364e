package dev.holdfast.idempotency;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is kept, for how long, and how long duplicates wait.
 *
 * @param patience how long a duplicate waits for the one that is at work
 * @param retention how long records are kept
 * @param largest how many bytes an answer may have in the store
 * @param vault where larger ones are kept, or null
 * @param refusals which failures of work are deliberate, and so are kept
 */
record KeepSettings(
    Duration patience,
    Duration retention,
    int largest,
    @Nullable ReplyVault vault,
    Function<? super Exception, @Nullable RefusedException> refusals) {
  static final int LARGEST_EVER = 15 << 20;
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);
  private static final Duration LONGEST_RETENTION = Duration.ofDays(3660);

  static final KeepSettings DEFAULT =
      new KeepSettings(Duration.ofSeconds(5), Duration.ofDays(1), 1 << 20, null, e -> null);

  KeepSettings {
    Require.between(patience, Duration.ZERO, LONGEST_WAIT, "the wait of duplicates");
    Require.between(retention, Duration.ofMillis(1), LONGEST_RETENTION, "retention");
    Require.between(largest, 1, LARGEST_EVER, "the largest reply in bytes");
    Require.notNull(refusals, "refusals");
  }

  KeepSettings patience(Duration patience) {
    return new KeepSettings(patience, retention, largest, vault, refusals);
  }

  KeepSettings retention(Duration retention) {
    return new KeepSettings(patience, retention, largest, vault, refusals);
  }

  KeepSettings largest(int bytes) {
    return new KeepSettings(patience, retention, bytes, vault, refusals);
  }

  KeepSettings vault(ReplyVault vault) {
    return new KeepSettings(
        patience, retention, largest, Require.notNull(vault, "vault"), refusals);
  }

  KeepSettings refusals(Function<? super Exception, @Nullable RefusedException> refusals) {
    return new KeepSettings(patience, retention, largest, vault, refusals);
  }

  /** The refusal that a failure of work is, or null where it is none. */
  @Nullable RefusedException refusal(Exception failure) {
    if (failure instanceof RefusedException refused) {
      return refused;
    }
    RefusedException refused;
    try {
      refused = refusals.apply(failure);
    } catch (RuntimeException e) {
      // what the work threw matters more than what was thought of it
      failure.addSuppressed(e);
      return null;
    }
    return refused == null ? null : new RefusedException(refused.bytes(), false, failure);
  }
}
