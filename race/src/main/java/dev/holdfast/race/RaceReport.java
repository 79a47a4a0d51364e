package dev.holdfast.race;

import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.report.Anomaly;
import dev.holdfast.race.internal.report.HtmlReport;
import dev.holdfast.race.internal.report.TextReport;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The result of an exploration: the first finding, if any, and what was covered.
 *
 * <p>With several isolation levels, it contains one exploration for each.
 *
 * <p><b>Threads:</b> immutable.
 */
public final class RaceReport {
  /** The kinds of findings. */
  public enum Kind {
    /** No serial execution gives this result. */
    NOT_SERIALIZABLE,
    /** An invariant does not hold. */
    INVARIANT_VIOLATED,
    /** The database ended an actor because of a deadlock, and the actor did not retry. */
    DEADLOCK,
    /** An actor repeats its steps and does not end. */
    LIVELOCK,
    /** An actor neither reaches a step nor ends. */
    STUCK,
    /** Only a lock of this JVM separates the actors. Another instance does not have it. */
    JVM_LOCK,
    /** An actor ended with an error that the test forbids. */
    FORBIDDEN_ERROR,
    /** After a crash and a rerun, the result differs from that of one run without a crash. */
    NOT_IDEMPOTENT
  }

  private final List<Exploration> explorations;

  RaceReport(List<Exploration> explorations) {
    this.explorations = List.copyOf(explorations);
  }

  /** Whether at least one isolation level has a finding. */
  public boolean hasFinding() {
    return finding().isPresent();
  }

  private Optional<Finding> finding() {
    return findings().findFirst();
  }

  private Stream<Finding> findings() {
    return explorations.stream().map(Exploration::finding).filter(Objects::nonNull);
  }

  /** The kind of the first finding. */
  public Optional<Kind> kind() {
    return finding().map(finding -> Kind.valueOf(finding.kind().name()));
  }

  /** The name of the anomaly of the first finding, such as {@code LOST UPDATE}. */
  public Optional<String> anomaly() {
    return explorations.stream()
        .filter(each -> each.finding() != null)
        .findFirst()
        .map(Anomaly::nameOf);
  }

  /** The token that repeats exactly the run of the first finding. */
  public Optional<String> replayToken() {
    return finding().map(Finding::replayToken);
  }

  /** The number of runs, including the {@linkplain #prunedRuns pruned} ones. */
  public int runs() {
    return explorations.stream().mapToInt(Exploration::runs).sum();
  }

  /** The number of runs that ended early because they reached a known state. */
  public int prunedRuns() {
    return explorations.stream().mapToInt(Exploration::prunedRuns).sum();
  }

  /** Whether all interleavings were covered, at every isolation level. */
  public boolean isExhaustive() {
    return explorations.stream().allMatch(Exploration::exhaustive);
  }

  /**
   * The number of preemptions up to which all interleavings were covered. Empty if not even all
   * interleavings without a preemption were.
   */
  public OptionalInt preemptionBound() {
    int bound = explorations.stream().mapToInt(Exploration::preemptionBound).min().orElse(-1);
    return bound < 0 ? OptionalInt.empty() : OptionalInt.of(bound);
  }

  /** The time until the first finding. */
  public Optional<Duration> timeToFinding() {
    return finding().map(finding -> Duration.ofMillis(finding.foundAfterMillis()));
  }

  /** The duration of all explorations. */
  public Duration duration() {
    return Duration.ofMillis(explorations.stream().mapToLong(Exploration::millis).sum());
  }

  /** Limits of the result: actors that share no data, waits that are presumed. */
  public List<String> warnings() {
    return explorations.stream().flatMap(each -> each.warnings().stream()).distinct().toList();
  }

  /** The report for a terminal. */
  public String text() {
    return explorations.stream().map(TextReport::of).collect(Collectors.joining("\n"));
  }

  /** A self-contained HTML page about the first finding, or about the first exploration. */
  public String html() {
    return HtmlReport.of(
        explorations.stream()
            .filter(each -> each.finding() != null)
            .findFirst()
            .orElse(explorations.get(0)));
  }

  @Override
  public String toString() {
    return text();
  }
}
