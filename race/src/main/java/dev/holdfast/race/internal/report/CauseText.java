package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.RunRecord;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Explains the cause of a finding in a sentence, with the numbers of the entries. */
final class CauseText {
  private static final int MAX_EFFECTS = 4;

  private final Anomaly anomaly;
  private final Finding finding;

  private CauseText(Anomaly anomaly) {
    this.anomaly = anomaly;
    this.finding = anomaly.finding();
  }

  /** What is wrong, for a reader who does not know the code. */
  static String headline(Anomaly anomaly) {
    return new CauseText(anomaly).headline();
  }

  /** The cause. */
  static String of(Anomaly anomaly) {
    return new CauseText(anomaly).reason();
  }

  private String headline() {
    String all = Words.and(finding.actors());
    return switch (finding.kind()) {
      case INVARIANT_VIOLATED ->
          (anomaly.isByCrash() ? "A crash and a retry cause a wrong result." : diagnosis())
              + " At the end, the invariant “"
              + Words.plain(finding.broken())
              + "” does not hold.";
      case NOT_SERIALIZABLE ->
          (anomaly.isByCrash() ? "A crash and a retry cause a wrong result." : diagnosis())
              + " No serial execution gives this result.";
      case DEADLOCK -> all + " wait for each other, and the database aborts one of them.";
      case LIVELOCK -> "An actor retries forever and never finishes.";
      case STUCK -> "An actor never finishes.";
      case JVM_LOCK ->
          "Only a JVM lock prevents a race between " + all + ". Other instances do not share it.";
      case FORBIDDEN_ERROR -> "An actor fails with an error that the test forbids.";
      case NOT_IDEMPOTENT ->
          anomaly.secondTry().leftHalfDone()
              ? "After a crash and a retry, part of the work is never done."
              : "After a crash and a retry, the result differs from one run without a crash.";
    };
  }

  private String diagnosis() {
    Conflict c = anomaly.conflict();
    List<String> repeated = List.copyOf(anomaly.repeatedByName().keySet());
    if (!repeated.isEmpty()) {
      String names = Words.and(some(repeated.stream().map(CauseText::quoted).toList(), "others"));
      return names
          + (repeated.size() == 1 ? " happens" : " happen")
          + " more often than "
          + (repeated.size() == 1 ? "it" : "they")
          + " should.";
    }
    if (c == null) {
      return Words.and(finding.actors()) + " interfere with each other.";
    }
    String one = name(c.read().actor());
    String other = name(c.change().actor());
    return switch (c.pattern()) {
      case LOST_UPDATE -> one + " overwrites a change of " + other + ".";
      case STALE_SUBSELECT ->
          one + " waits for " + other + ", then continues with data that it read before the wait.";
      case DOUBLE_SPEND -> {
        List<String> names = anomaly.party(c).reads().stream().map(r -> name(r.actor())).toList();
        String all = names.size() > 2 ? "all" : "both";
        yield Words.and(names) + " " + all + " pass the check and " + all + " act.";
      }
      case WRITE_SKEW -> other + " and " + one + " each obey the rule, but together they break it.";
      case INCONSISTENT_READ -> one + " sees two different states within one operation.";
      case DIRTY_DECISION -> one + " acts on data that " + other + " has changed since.";
    };
  }

  private String reason() {
    Conflict conflict = anomaly.conflict();
    String locks = lostLocks();
    if (anomaly.isByCrash()) {
      return new CrashCauseText(anomaly).describe().orElseGet(this::problem);
    }
    if (!anomaly.repeatedEffects().isEmpty()) {
      return repeatedEffects() + (conflict == null ? "" : " " + of(conflict) + locks);
    }
    if (conflict != null) {
      return of(conflict) + locks;
    }
    return finding.kind() == Finding.Kind.DEADLOCK ? deadlock() : problem();
  }

  /** {@code “pay 1” happened in 5 and 11, “pay 2” in 8 and 14}. */
  private String repeatedEffects() {
    List<String> each =
        anomaly.repeatedByName().entrySet().stream()
            .map(effect -> quoted(effect.getKey()) + " happened in " + numbers(effect.getValue()))
            .toList();
    return String.join(", ", some(each, "…")) + ", more often than in any serial order.";
  }

  private static List<String> some(List<String> all, String rest) {
    return all.size() <= MAX_EFFECTS
        ? all
        : Stream.concat(all.stream().limit(MAX_EFFECTS), Stream.of(rest)).toList();
  }

  private static String quoted(String effect) {
    return "“" + Words.shortened(effect, 60) + "”";
  }

  private String lostLocks() {
    String locks = ReleasedLock.describe(anomaly.lostLocks());
    return locks.isEmpty() ? "" : " " + locks;
  }

  private String of(Conflict c) {
    String reader = name(c.read().actor());
    String writer = name(c.change().actor());
    String table = c.read().tableChangedBy(c.change());
    String change = c.change().number() + committed(c.change());
    return switch (c.pattern()) {
      case LOST_UPDATE ->
          reader
              + " read "
              + read(c.read(), table)
              + "; "
              + writer
              + " changed it in "
              + change
              + "; in "
              + c.act().number()
              + " "
              + reader
              + " wrote a value based on that read, and the change of "
              + writer
              + " was lost.";
      case STALE_SUBSELECT -> staleSubselect(c, table);
      case DOUBLE_SPEND -> doubleSpend(c);
      case WRITE_SKEW ->
          writer
              + " and "
              + reader
              + " each read what the other then changed"
              + both(c)
              + ", and changed different rows ("
              + c.change().number()
              + ", "
              + c.act().number()
              + "), so neither waited for the other. Together they break the rule that each had"
              + " checked.";
      case INCONSISTENT_READ ->
          reader
              + " read "
              + table
              + " in "
              + c.read().number()
              + ", and again in "
              + c.act().number()
              + "; in between "
              + writer
              + " changed it in "
              + change
              + ". "
              + reader
              + " used two different states.";
      case DIRTY_DECISION ->
          reader
              + " read "
              + read(c.read(), table)
              + "; "
              + writer
              + " changed that in "
              + change
              + "; in "
              + c.act().number()
              + " "
              + reader
              + " acted on stale data.";
    };
  }

  private String staleSubselect(Conflict c, String table) {
    return name(c.act().actor())
        + " waited in "
        + c.act().number()
        + " for the row that "
        + name(c.change().actor())
        + " had also changed; its subselect "
        + (c.act().sql().counts() ? "counted " : "read ")
        + table
        + " before "
        + c.change().number()
        + " was committed in "
        + c.change().committed()
        + " and was not evaluated again after the wait.";
  }

  private static String committed(PerformedStep change) {
    return change.committed() == change.number() ? "" : " and committed in " + change.committed();
  }

  private static String read(PerformedStep read, String table) {
    String values = read.values();
    return (values.isEmpty() ? table : values + (table.isEmpty() ? "" : " of " + table))
        + " in "
        + read.number();
  }

  private static String both(Conflict c) {
    PerformedStep theirs = c.otherRead();
    return theirs == null ? "" : " (" + theirs.number() + ", " + c.read().number() + ")";
  }

  private String doubleSpend(Conflict c) {
    ConflictParties party = anomaly.party(c);
    String names = Words.and(party.reads().stream().map(r -> name(r.actor())).toList());
    String other = party.reads().size() > 2 ? "another" : "the other";
    if (c.read().number() == c.act().number()) {
      return names
          + " checked and acted in one statement each ("
          + numbers(party.readNumbers())
          + "), before "
          + other
          + " had committed: none saw what "
          + other
          + " did.";
    }
    String values = c.read().values();
    return names
        + " read the same data ("
        + (values.isEmpty() ? "" : values + ", ")
        + "in "
        + numbers(party.readNumbers())
        + ") before the change of "
        + other
        + " was committed, so "
        + (party.reads().size() > 2 ? "all" : "both")
        + " acted: "
        + party.acts().stream()
            .map(act -> name(act.actor()) + " in " + act.number())
            .collect(Collectors.joining(", "))
        + ".";
  }

  private static String numbers(List<Integer> numbers) {
    return Words.and(numbers.stream().map(String::valueOf).toList());
  }

  private String deadlock() {
    return DeadlockCycle.of(finding.run()).map(this::deadlock).orElseGet(this::problem);
  }

  private String deadlock(RunRecord.Deadlock deadlock) {
    List<Integer> waiters = deadlock.waiters();
    String circle =
        IntStream.range(0, waiters.size())
            .mapToObj(
                i -> {
                  int entry = i < deadlock.entries().size() ? deadlock.entries().get(i) : 0;
                  String next = name(waiters.get((i + 1) % waiters.size()));
                  return name(waiters.get(i))
                      + " waits"
                      + (entry > 0 ? " in " + entry : "")
                      + " for a lock of "
                      + next;
                })
            .collect(Collectors.joining(", "));
    return circle + ". The database aborted " + name(deadlock.victim()) + ", which did not retry.";
  }

  private String problem() {
    String problem = finding.run().problem();
    if (problem != null && !problem.isBlank()) {
      return Words.plain(problem);
    }
    return finding.kind() == Finding.Kind.INVARIANT_VIOLATED ? "" : Words.plain(finding.broken());
  }

  private String name(int actor) {
    return finding.actors().get(actor);
  }
}
