package dev.holdfast.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class EarlyRefreshTest {
  private static final long LOAD = 400_000_000;

  private static double share(double beta, long left) {
    Random random = new Random(42);
    int due = 0;
    for (int i = 0; i < 200_000; i++) {
      if (EarlyRefresh.isDue(1 - random.nextDouble(), beta, LOAD, left)) {
        due++;
      }
    }
    return due / 200_000.0;
  }

  @Test
  void theProbabilityIsThatOfXFetch() {
    assertThat(share(1, 2_000_000_000)).isCloseTo(Math.exp(-5), within(0.002));
    assertThat(share(1, 400_000_000)).isCloseTo(Math.exp(-1), within(0.005));
    assertThat(share(1, 100_000_000)).isCloseTo(Math.exp(-0.25), within(0.005));
    assertThat(share(2, 400_000_000)).isCloseTo(Math.exp(-0.5), within(0.005));
    assertThat(share(1, 0)).isEqualTo(1);
  }

  @Test
  void withoutEagernessNothingIsEverEarly() {
    assertThat(EarlyRefresh.isDue(Double.MIN_VALUE, 0, LOAD, 1)).isFalse();
    assertThat(EarlyRefresh.window(0, LOAD)).isZero();
  }

  @Test
  void refreshOutsideWindowIsUnlikely() {
    assertThat(Math.exp(-EarlyRefresh.window(1, LOAD) / (double) LOAD)).isLessThan(3e-9);
    assertThat(EarlyRefresh.window(100, Long.MAX_VALUE)).isPositive();
  }
}
