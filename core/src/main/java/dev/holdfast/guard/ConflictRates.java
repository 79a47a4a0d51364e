package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import dev.holdfast.transaction.ConflictListener;
import dev.holdfast.transaction.GuardKind;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts attempts, conflicts and retries of every named guard, and says which guard to change.
 *
 * <p>The numbers are of the last five minutes by default, to within a thirtieth of that time, and
 * of this process only. They are exact under concurrency. Counting takes no lock. At most 1000
 * names are told apart; whatever comes later counts as {@value #OTHER}. Names are cut after 200
 * characters. Guards of different kinds should have different names: the first to be heard of
 * decides what kind a name is of. Thread-safe.
 */
public final class ConflictRates implements ConflictListener {
  /** The name that all guards beyond the first 1000 share. */
  public static final String OTHER = "other";

  static final int MAX_NAMES = 1000;
  static final int MAX_NAME_LENGTH = 200;

  private static final Logger LOG = LoggerFactory.getLogger(ConflictRates.class);
  private static final Duration DEFAULT_WINDOW = Duration.ofMinutes(5);
  private static final Duration MIN_WINDOW = Duration.ofSeconds(1);
  private static final Duration MAX_WINDOW = Duration.ofDays(1);

  private final Map<String, SlidingWindowCounter> windows = new ConcurrentHashMap<>();
  private final Duration window;
  private final long bucketNanos;
  private final LongSupplier nanoTime;
  private final long start;
  private volatile @Nullable SlidingWindowCounter other;

  private ConflictRates(Duration window, LongSupplier nanoTime) {
    this.window = Require.between(window, MIN_WINDOW, MAX_WINDOW, "window");
    this.bucketNanos = window.toNanos() / SlidingWindowCounter.BUCKETS;
    this.nanoTime = Require.notNull(nanoTime, "nanoTime");
    this.start = nanoTime.getAsLong();
  }

  /** Over the last five minutes. */
  public static ConflictRates create() {
    return over(DEFAULT_WINDOW);
  }

  /** Over a time from one second to one day. */
  public static ConflictRates over(Duration window) {
    return over(window, System::nanoTime);
  }

  /** Over a time as {@code nanoTime} measures it, which must not run backwards. */
  public static ConflictRates over(Duration window, LongSupplier nanoTime) {
    return new ConflictRates(window, nanoTime);
  }

  @Override
  public void attempted(GuardKind kind, String guard, boolean conflict) {
    window(kind, cut(guard)).attempted(slot(), conflict);
  }

  @Override
  public void retrying(GuardKind kind, String guard) {
    window(kind, cut(guard)).retrying(slot());
  }

  /** The rate of one guard; empty if nothing was heard of it yet. */
  public Optional<ConflictRate> of(String guard) {
    String name = cut(Require.notNull(guard, "guard"));
    return Optional.ofNullable(windows.get(name)).map(counts -> counts.rate(name, slot(), window));
  }

  /** The rates of all guards that were heard of, the highest first. */
  public List<ConflictRate> all() {
    long slot = slot();
    return windows.entrySet().stream()
        .map(guard -> guard.getValue().rate(guard.getKey(), slot, window))
        .sorted(
            Comparator.comparingDouble(ConflictRate::rate)
                .thenComparingLong(ConflictRate::attempts)
                .reversed()
                .thenComparing(ConflictRate::guard))
        .toList();
  }

  /** All rates as a table to read, with advice for those that ask for a change. */
  public String report() {
    return ConflictReport.of(all(), window);
  }

  /**
   * A listener that counts here and then tells {@code next}, such as one that feeds metrics. What
   * {@code next} throws is logged and goes no further: no change is lost for the sake of a metric.
   */
  public ConflictListener andThen(ConflictListener next) {
    Require.notNull(next, "next");
    return new ConflictListener() {
      @Override
      public void attempted(GuardKind kind, String guard, boolean conflict) {
        ConflictRates.this.attempted(kind, guard, conflict);
        tell(() -> next.attempted(kind, guard, conflict));
      }

      @Override
      public void retrying(GuardKind kind, String guard) {
        ConflictRates.this.retrying(kind, guard);
        tell(() -> next.retrying(kind, guard));
      }
    };
  }

  private static void tell(Runnable listening) {
    try {
      listening.run();
    } catch (RuntimeException e) {
      LOG.warn(
          "guard-listener-failed: a listener of conflict rates threw an exception; the guarded"
              + " write is not affected",
          e);
    }
  }

  private SlidingWindowCounter window(GuardKind kind, String guard) {
    SlidingWindowCounter known = windows.get(guard);
    if (known == null) {
      known = other;
    }
    return known == null ? newWindow(kind, guard) : known;
  }

  private SlidingWindowCounter newWindow(GuardKind kind, String guard) {
    // one thread at a time, or more than the bound could get in
    synchronized (windows) {
      boolean full = windows.size() >= MAX_NAMES && !windows.containsKey(guard);
      SlidingWindowCounter counts =
          windows.computeIfAbsent(full ? OTHER : guard, ignored -> new SlidingWindowCounter(kind));
      if (full) {
        other = counts;
      }
      return counts;
    }
  }

  private long slot() {
    return Math.max(0, nanoTime.getAsLong() - start) / bucketNanos;
  }

  private static String cut(String guard) {
    return guard.length() <= MAX_NAME_LENGTH ? guard : guard.substring(0, MAX_NAME_LENGTH);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "ConflictRates[%d guards, %s]",
        windows.size(),
        ConflictReport.inWords(window));
  }
}
