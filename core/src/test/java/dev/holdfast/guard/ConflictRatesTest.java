package dev.holdfast.guard;

import static dev.holdfast.transaction.GuardKind.OPTIMISTIC_UPDATE;
import static dev.holdfast.transaction.GuardKind.RETRIED_WORK;
import static dev.holdfast.transaction.GuardKind.ROW_LOCKS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.ConflictRate.Verdict;
import dev.holdfast.transaction.ConflictListener;
import dev.holdfast.transaction.GuardKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConflictRatesTest {
  private static final String CART = "update cart_items";

  /** Begins shortly before it overflows, as the real one may. */
  private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);

  private final ConflictRates rates = ConflictRates.over(Duration.ofMinutes(5), nanoTime::get);

  @Test
  void countsAttemptsConflictsAndRetriesByName() {
    rates.attempted(OPTIMISTIC_UPDATE, CART, false);
    rates.attempted(OPTIMISTIC_UPDATE, CART, true);
    rates.retrying(OPTIMISTIC_UPDATE, CART);
    rates.attempted(ROW_LOCKS, "lock accounts", false);

    assertThat(rates.of(CART))
        .contains(new ConflictRate(OPTIMISTIC_UPDATE, CART, 2, 1, 1, Duration.ofMinutes(5)));
    assertThat(rates.of("lock accounts").orElseThrow().rate()).isZero();
    assertThat(rates.of("never heard of")).isEmpty();
    assertThat(rates.all()).extracting(ConflictRate::guard).containsExactly(CART, "lock accounts");
  }

  @Test
  void drawsTheLinesWhereItSaysTheyAre() {
    assertThat(verdict(10_000, 0)).isEqualTo(Verdict.FINE);
    assertThat(verdict(10_000, 99)).isEqualTo(Verdict.FINE);
    assertThat(verdict(10_000, 100)).isEqualTo(Verdict.WATCH);
    assertThat(verdict(10_000, 500)).isEqualTo(Verdict.WATCH);
    assertThat(verdict(10_000, 501)).isEqualTo(Verdict.CHANGE);
    assertThat(verdict(10_000, 10_000)).isEqualTo(Verdict.CHANGE);
    assertThat(verdict(50, 0)).isEqualTo(Verdict.FINE);
    assertThat(verdict(49, 49)).isEqualTo(Verdict.TOO_FEW);
    assertThat(verdict(0, 0)).isEqualTo(Verdict.TOO_FEW);
  }

  private static Verdict verdict(long attempts, long conflicts) {
    return new ConflictRate(
            OPTIMISTIC_UPDATE, "guard", attempts, conflicts, 0, Duration.ofMinutes(5))
        .verdict();
  }

  @Test
  void saysWhatToUseInstead() {
    Duration window = Duration.ofMinutes(5);

    assertThat(new ConflictRate(OPTIMISTIC_UPDATE, CART, 100, 50, 0, window).advice())
        .contains("RowLocks", "Conditional");
    assertThat(new ConflictRate(RETRIED_WORK, "transfer", 100, 50, 0, window).advice())
        .startsWith("Let fewer meet");
    assertThat(new ConflictRate(OPTIMISTIC_UPDATE, CART, 100, 0, 0, window).advice())
        .startsWith("Leave it");
    assertThat(new ConflictRate(OPTIMISTIC_UPDATE, CART, 100, 2, 0, window).advice())
        .startsWith("Watch it");
    assertThat(new ConflictRate(OPTIMISTIC_UPDATE, CART, 1, 1, 0, window).advice()).contains("50");
  }

  @Test
  void forgetsWhatIsOlderThanTheWindow() {
    rates.attempted(OPTIMISTIC_UPDATE, CART, true);
    advance(Duration.ofMinutes(2));
    rates.attempted(OPTIMISTIC_UPDATE, CART, false);
    rates.retrying(OPTIMISTIC_UPDATE, CART);
    advance(Duration.ofMinutes(2));
    assertThat(attempts()).isEqualTo(2);

    advance(Duration.ofMinutes(1));
    assertThat(attempts()).isEqualTo(1);
    assertThat(rates.of(CART).orElseThrow().conflicts()).isZero();

    advance(Duration.ofMinutes(2));
    assertThat(attempts()).isZero();
    assertThat(rates.of(CART).orElseThrow().retries()).isZero();
  }

  @Test
  void advisesByTheKindOfGuardAndNotByItsName() {
    Duration window = Duration.ofMinutes(5);

    assertThat(new ConflictRate(OPTIMISTIC_UPDATE, "count hits", 100, 50, 0, window).advice())
        .startsWith("Do not read first and hope");
    assertThat(new ConflictRate(RETRIED_WORK, "update counters", 100, 50, 0, window).advice())
        .startsWith("Let fewer meet");
    assertThat(Stream.of(GuardKind.values()).map(ConflictAdvice::of)).doesNotHaveDuplicates();
  }

  @Test
  void neverMixesABucketWithTheOneBeforeIt() {
    for (int round = 0; round < 100; round++) {
      rates.attempted(OPTIMISTIC_UPDATE, CART, true);
      // half a bucket more than the window each time: the ring is met at every place
      advance(Duration.ofMinutes(5).plusSeconds(5));
      assertThat(attempts()).isZero();
    }
  }

  private void advance(Duration time) {
    nanoTime.addAndGet(time.toNanos());
  }

  private long attempts() {
    return rates.of(CART).orElseThrow().attempts();
  }

  @Test
  void losesNoCountToConcurrency() throws Exception {
    int threads = 16;
    int rounds = 50_000;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Future<?>> counting = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      boolean mover = thread == 0;
      counting.add(
          pool.submit(
              () -> {
                for (int i = 0; i < rounds; i++) {
                  rates.attempted(OPTIMISTIC_UPDATE, CART, i % 10 == 0);
                  rates.attempted(ROW_LOCKS, "lock " + i % 100, false);
                  rates.retrying(OPTIMISTIC_UPDATE, CART);
                  if (mover && i % 2_000 == 0) {
                    // buckets are begun while all count: 25 of 30 in the course of this
                    advance(Duration.ofSeconds(10));
                  }
                }
              }));
    }
    for (Future<?> each : counting) {
      each.get(1, TimeUnit.MINUTES);
    }
    pool.shutdown();

    long all = (long) threads * rounds;
    assertThat(rates.of(CART))
        .contains(
            new ConflictRate(OPTIMISTIC_UPDATE, CART, all, all / 10, all, Duration.ofMinutes(5)));
    assertThat(rates.all().stream().mapToLong(ConflictRate::attempts).sum()).isEqualTo(2 * all);
  }

  @Test
  void keepsABoundedNumberOfNames() {
    for (int i = 0; i < 5_000; i++) {
      rates.attempted(OPTIMISTIC_UPDATE, "guard " + i, false);
    }

    assertThat(rates.all()).hasSize(ConflictRates.MAX_NAMES + 1);
    assertThat(rates.of(ConflictRates.OTHER).orElseThrow().attempts()).isEqualTo(4_000);
    rates.attempted(OPTIMISTIC_UPDATE, "guard 999", true);
    assertThat(rates.of("guard 999").orElseThrow().attempts()).isEqualTo(2);
  }

  @Test
  void cutsNamesThatAreTooLong() {
    String endless = "x".repeat(1_000_000);
    rates.attempted(OPTIMISTIC_UPDATE, endless, true);

    assertThat(rates.of(endless).orElseThrow().guard()).hasSize(ConflictRates.MAX_NAME_LENGTH);
  }

  @Test
  void reportsATableThatPeopleCanRead() {
    assertThat(rates.report()).contains("no guard");
    for (int i = 0; i < 100; i++) {
      rates.attempted(OPTIMISTIC_UPDATE, CART, i < 25);
      rates.attempted(ROW_LOCKS, "lock accounts", false);
    }
    rates.attempted(OPTIMISTIC_UPDATE, "forged\nline", false);

    assertThat(rates.report().lines())
        .hasSize(6)
        .anyMatch(line -> line.matches("update cart_items +100 +25 +0 +25\\.00 % +CHANGE"))
        .anyMatch(line -> line.matches("lock accounts +100 +0 +0 +0\\.00 % +FINE"))
        .anyMatch(line -> line.matches("forged\\?line +1 +0 +0 +0\\.00 % +TOO_FEW"))
        .anyMatch(line -> line.startsWith("update cart_items: ") && line.contains("RowLocks"));
  }

  @Test
  void writesItsTimeAsAPersonDoes() {
    rates.attempted(OPTIMISTIC_UPDATE, CART, false);

    assertThat(rates.report()).startsWith("conflicts in the last 5 min\n");
    assertThat(rates).hasToString("ConflictRates[1 guards, 5 min]");
    assertThat(inWords("PT1S")).isEqualTo("1 s");
    assertThat(inWords("PT1M30S")).isEqualTo("1 min 30 s");
    assertThat(inWords("PT2H0.25S")).isEqualTo("2 h 250 ms");
    assertThat(inWords("P1D")).isEqualTo("1 d");
  }

  private static String inWords(String time) {
    return ConflictReport.inWords(Duration.parse(time));
  }

  @Test
  void notifiesListenersAndSurvivesThem() {
    List<String> heard = new ArrayList<>();
    ConflictListener both =
        rates.andThen(
            new ConflictListener() {
              @Override
              public void attempted(GuardKind kind, String guard, boolean conflict) {
                heard.add(guard + " " + conflict);
              }

              @Override
              public void retrying(GuardKind kind, String guard) {
                throw new IllegalStateException("the metrics are down");
              }
            });

    both.attempted(OPTIMISTIC_UPDATE, CART, true);
    both.retrying(OPTIMISTIC_UPDATE, CART);

    assertThat(heard).containsExactly("update cart_items true");
    assertThat(rates.of(CART))
        .contains(new ConflictRate(OPTIMISTIC_UPDATE, CART, 1, 1, 1, Duration.ofMinutes(5)));
  }

  @Test
  void refusesSettingsThatMakeNoSense() {
    assertThatThrownBy(() -> ConflictRates.over(Duration.ZERO))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("window");
    assertThatThrownBy(() -> ConflictRates.over(Duration.ofDays(400)))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(
            () -> new ConflictRate(OPTIMISTIC_UPDATE, "guard", 1, 2, 0, Duration.ofMinutes(5)))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
