package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.RunRecord;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Tells in a sentence how it came to a finding, with the numbers of the entries. */
final class Why {
  private final Anomaly anomaly;
  private final Finding finding;

  private Why(Anomaly anomaly) {
    this.anomaly = anomaly;
    this.finding = anomaly.finding();
  }

  /** What is wrong, for somebody who does not know the code. */
  static String headline(Anomaly anomaly) {
    return new Why(anomaly).headline();
  }

  /** How it came to that. */
  static String of(Anomaly anomaly) {
    return new Why(anomaly).reason();
  }

  private String headline() {
    String all = Words.and(finding.actors());
    return switch (finding.kind()) {
      case INVARIANT ->
          diagnosis() + " At the end “" + Words.plain(finding.broken()) + "” does not hold.";
      case NOT_SERIAL -> diagnosis() + " One after the other, they never end so.";
      case DEADLOCK -> all + " wait for each other, and the database has to end one of them.";
      case LIVELOCK -> "An actor tries again and again, and never comes to an end.";
      case STUCK -> "An actor never comes to an end.";
      case JAVA_LOCK ->
          "Only a lock of this JVM keeps " + all + " apart: another instance does not have it.";
      case FORBIDDEN_ERROR -> "An actor fails in a way that the test forbids.";
      case NOT_IDEMPOTENT ->
          "After a crash and a second try, it is not as after one run without a crash.";
    };
  }

  private String diagnosis() {
    Conflict c = anomaly.conflict();
    if (!anomaly.repeatedEffects().isEmpty()) {
      String effect = Words.shortened(anomaly.repeatedEffects().get(0).step().text(), 60);
      return "“" + effect + "” happens more often than it should.";
    }
    if (c == null) {
      return Words.and(finding.actors()) + " get into each other's way.";
    }
    String one = name(c.read().actor());
    String other = name(c.change().actor());
    return switch (c.pattern()) {
      case LOST_UPDATE -> one + " overwrites what " + other + " has changed meanwhile.";
      case DOUBLE_SPEND -> {
        List<String> names = anomaly.party(c).reads().stream().map(r -> name(r.actor())).toList();
        String all = names.size() > 2 ? "all" : "both";
        yield Words.and(names) + " " + all + " see that they may, and " + all + " do it.";
      }
      case WRITE_SKEW -> other + " and " + one + " each keep the rule, and together break it.";
      case INCONSISTENT_READ -> one + " sees two different states within one operation.";
      case DIRTY_DECISION -> one + " acts on what " + other + " has changed meanwhile.";
    };
  }

  private String reason() {
    Conflict conflict = anomaly.conflict();
    List<Entry> repeated = anomaly.repeatedEffects();
    if (!repeated.isEmpty() && finding.kind() != Finding.Kind.NOT_IDEMPOTENT) {
      String effect = "“" + Words.shortened(repeated.get(0).step().text(), 60) + "”";
      String numbers = numbers(repeated.stream().map(Entry::number).toList());
      return effect
          + " happened in "
          + numbers
          + ", more often than in any serial order."
          + (conflict == null ? "" : " " + of(conflict));
    }
    if (conflict != null) {
      return of(conflict);
    }
    return switch (finding.kind()) {
      case DEADLOCK -> deadlock();
      case NOT_IDEMPOTENT -> crash();
      default -> problem();
    };
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
              + " wrote from what it had read, and the change of "
              + writer
              + " was lost.";
      case DOUBLE_SPEND -> doubleSpend(c);
      case WRITE_SKEW ->
          writer
              + " and "
              + reader
              + " each read what the other was about to change"
              + both(c)
              + ", and changed different rows ("
              + c.change().number()
              + ", "
              + c.act().number()
              + "): so neither waited for the other, and together they break"
              + " what each had checked.";
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
              + " has worked with two states.";
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
              + " acted on what was no longer so.";
    };
  }

  private static String committed(Deed change) {
    return change.committed() == change.number() ? "" : " and committed in " + change.committed();
  }

  private static String read(Deed read, String table) {
    String values = read.values();
    return (values.isEmpty() ? table : values + (table.isEmpty() ? "" : " of " + table))
        + " in "
        + read.number();
  }

  private static String both(Conflict c) {
    Deed theirs = c.otherRead();
    return theirs == null ? "" : " (" + theirs.number() + ", " + c.read().number() + ")";
  }

  private String doubleSpend(Conflict c) {
    Party party = anomaly.party(c);
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
        + " read the same ("
        + (values.isEmpty() ? "" : values + ", ")
        + "in "
        + numbers(party.readNumbers())
        + ") before the change that "
        + other
        + " made was committed; so "
        + (party.reads().size() > 2 ? "all" : "both")
        + " went on: "
        + party.acts().stream()
            .map(act -> name(act.actor()) + " in " + act.number())
            .collect(Collectors.joining(", "))
        + ".";
  }

  private static String numbers(List<Integer> numbers) {
    return Words.and(numbers.stream().map(String::valueOf).toList());
  }

  private String deadlock() {
    if (finding.run().deadlocks().isEmpty()) {
      return problem();
    }
    RunRecord.Deadlock deadlock = finding.run().deadlocks().get(0);
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
                      + " for what "
                      + next
                      + " holds";
                })
            .collect(Collectors.joining(", "));
    return circle
        + ". The database has ended "
        + name(deadlock.victim())
        + ", and it has not tried again.";
  }

  private String crash() {
    return finding.run().entries().stream()
        .filter(entry -> entry.fate().before() || entry.fate().after())
        .findFirst()
        .map(this::crash)
        .orElseGet(this::problem);
  }

  private String crash(Entry entry) {
    String who = name(entry.actor());
    String what =
        switch (entry.step().kind()) {
          case COMMIT -> "the commit";
          case EFFECT, POINT -> "“" + Words.shortened(entry.step().text(), 60) + "”";
          default -> "step " + entry.number();
        };
    String how = entry.fate().dies() ? "the process died " : "the connection was lost ";
    String when =
        entry.fate().before()
            ? "before " + what + " took place"
            : "after " + what + " had taken place, and nobody was told";
    return "In "
        + entry.number()
        + " "
        + how
        + when
        + ". Then "
        + who
        + " was run again with the same input"
        + after()
        + ".";
  }

  private String after() {
    List<String> again =
        anomaly.repetitions().entrySet().stream()
            .map(
                repeated ->
                    "in " + repeated.getKey() + " what " + repeated.getValue() + " had done")
            .toList();
    return again.isEmpty()
        ? ", and what it left is not what one clean run leaves"
        : ", and did once more " + Words.and(again);
  }

  private String problem() {
    String problem = finding.run().problem();
    if (problem != null && !problem.isBlank()) {
      return Words.plain(problem);
    }
    return finding.kind() == Finding.Kind.INVARIANT ? "" : Words.plain(finding.broken());
  }

  private String name(int actor) {
    return finding.actors().get(actor);
  }
}
