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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What an exploration has found, and how much it has looked at. Immutable. */
public final class RaceReport {
  private final List<Exploration> explorations;

  RaceReport(List<Exploration> explorations) {
    this.explorations = List.copyOf(explorations);
  }

  /** Whether something is wrong, at one of the isolation levels at least. */
  public boolean found() {
    return findings().findAny().isPresent();
  }

  private Stream<Finding> findings() {
    return explorations.stream().map(Exploration::finding).filter(Objects::nonNull);
  }

  /** The kind of what was found first: {@code NOT_SERIAL}, {@code INVARIANT}, {@code DEADLOCK}. */
  public Optional<String> kind() {
    return findings().findFirst().map(finding -> finding.kind().name());
  }

  /** What it is called: {@code LOST UPDATE}, {@code WRITE SKEW}, {@code DEADLOCK}. */
  public Optional<String> anomaly() {
    return explorations.stream()
        .filter(each -> each.finding() != null)
        .findFirst()
        .map(Anomaly::nameOf);
  }

  /** What makes exactly the run again that was found first; empty if none was. */
  public String token() {
    return findings().findFirst().map(Finding::token).orElse("");
  }

  /** How many runs were made. */
  public int runs() {
    return explorations.stream().mapToInt(Exploration::runs).sum();
  }

  /** How many of them were cut because another run had been where they came to. */
  public int cut() {
    return explorations.stream().mapToInt(Exploration::cut).sum();
  }

  /** Whether every order of the steps was covered, at every isolation level. */
  public boolean exhausted() {
    return explorations.stream().allMatch(Exploration::exhausted);
  }

  /** Up to how many preemptions all orders were covered; -1 if not even those without any. */
  public int bound() {
    return explorations.stream().mapToInt(Exploration::bound).min().orElse(-1);
  }

  /** How long it took until the first finding; empty if there was none. */
  public Optional<Duration> timeToFind() {
    return findings().findFirst().map(finding -> Duration.ofMillis(finding.foundAfterMillis()));
  }

  /** How long it took. */
  public Duration duration() {
    return Duration.ofMillis(explorations.stream().mapToLong(Exploration::millis).sum());
  }

  /** What the reader must know: actors that share nothing, waits that are only presumed. */
  public List<String> warnings() {
    return explorations.stream().flatMap(each -> each.warnings().stream()).distinct().toList();
  }

  /** For a terminal. */
  public String text() {
    return explorations.stream().map(TextReport::of).collect(Collectors.joining("\n"));
  }

  /** A page that needs nothing else, of what was found first or, if nothing was, of it all. */
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
