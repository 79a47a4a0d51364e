package dev.holdfast.torture.check;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the checker says of a run.
 *
 * @param counts what was counted, by name
 * @param faults how many faults of each kind there were
 * @param maxIdle the longest time without progress of each thing, in seconds
 */
public record Verdict(
    List<Violation> violations,
    Map<String, Long> counts,
    Map<String, Long> faults,
    Map<String, Double> maxIdle,
    double recoveryP50,
    double recoveryP99,
    double recoveryMax) {

  public boolean isSafe() {
    return violations.stream().allMatch(violation -> violation.property().isLiveness());
  }

  public boolean isClean() {
    return violations.isEmpty();
  }

  public Set<Property> violated() {
    return violations.stream().map(Violation::property).collect(Collectors.toSet());
  }

  public long count(Property property) {
    return violations.stream().filter(violation -> violation.property() == property).count();
  }

  /** The table and the lines that end a run. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    text.append("| counted | |\n|---|---|\n");
    counts.forEach((name, count) -> text.append("| %s | %,d |\n".formatted(name, count)));
    faults.forEach((kind, count) -> text.append("| fault %s | %d |\n".formatted(kind, count)));
    maxIdle.forEach(
        (what, seconds) ->
            text.append("| longest without progress, %s | %.1f s |\n".formatted(what, seconds)));
    text.append(
        "| recovery after a kill, p50 / p99 / max | %.1f / %.1f / %.1f s |\n"
            .formatted(recoveryP50, recoveryP99, recoveryMax));
    text.append("operations ").append(counts.getOrDefault("operations", 0L)).append('\n');
    text.append("faults ")
        .append(faults.values().stream().mapToLong(Long::longValue).sum())
        .append('\n');
    Arrays.stream(Property.values())
        .forEach(
            property ->
                text.append(property.label()).append(' ').append(count(property)).append('\n'));
    return text.append("recovery-p99-s %.1f\n".formatted(recoveryP99)).toString();
  }
}
