package dev.holdfast.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.torture.check.Verdict;
import dev.holdfast.torture.cluster.FaultKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

/** A short run with a fixed seed. It proves that the harness works; soaks look for faults. */
class TortureClusterIT {
  /** Generous, for a machine that does other things as well; soaks are judged by lease + 5 s. */
  private static final double MAX_IDLE_SECONDS = 60;

  @Test
  void nothingIsLostOrDoubledInAShortRun() throws Exception {
    Options options =
        new Options(
            0.75,
            2,
            Duration.ofSeconds(3),
            EnumSet.of(
                FaultKind.KILL,
                FaultKind.STOP,
                FaultKind.CUT,
                FaultKind.RESET,
                FaultKind.LOST_COMMIT,
                FaultKind.TERMINATE),
            Duration.ofSeconds(5),
            2,
            1,
            Path.of("target", "torture", "short").toAbsolutePath());

    Verdict verdict = Torture.run(options);

    assertThat(verdict.violations().stream().filter(v -> !v.property().isLiveness())).isEmpty();
    assertThat(verdict.faults()).isNotEmpty();
    assertThat(verdict.counts().get("events acknowledged")).isPositive();
    assertThat(verdict.counts().get("leases held")).isPositive();
    assertThat(verdict.counts().get("once answers")).isPositive();
    assertThat(verdict.counts().get("fires")).isPositive();
    assertThat(verdict.maxIdle().values())
        .allSatisfy(seconds -> assertThat(seconds).isLessThan(MAX_IDLE_SECONDS));
  }

  @Test
  void optionsAreRead() {
    Options options =
        Options.parse(
            new String[] {"--seed", "7", "--faults", "kill,lost-commit", "--lease", "1.5"},
            Path.of("home"));
    assertThat(options.seed()).isEqualTo(7);
    assertThat(options.lease()).isEqualTo(Duration.ofMillis(1500));
    assertThat(options.faults()).containsExactly(FaultKind.KILL, FaultKind.LOST_COMMIT);
    assertThat(options.folder()).isEqualTo(Path.of("home/target/torture/7"));
  }
}
