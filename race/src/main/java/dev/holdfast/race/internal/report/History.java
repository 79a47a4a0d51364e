package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.StepKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the actors of a run have read and lastingly changed, and when. */
final class History {
  private final List<Entry> entries;
  private final boolean snapshots;
  private final List<PerformedStep> deeds = new ArrayList<>();

  /**
   * @param snapshots whether a transaction keeps seeing what it saw first
   */
  History(RunRecord run, boolean snapshots) {
    this.entries = run.entries();
    this.snapshots = snapshots;
    for (Entry entry : entries) {
      StepKind kind = entry.step().kind();
      boolean effect = kind == StepKind.EFFECT && !entry.fate().before();
      boolean statement = kind == StepKind.STATEMENT || kind == StepKind.BATCH;
      if (effect || (statement && entry.result().error() == null)) {
        deeds.add(
            new PerformedStep(
                entry,
                Sql.of(entry.step()),
                seen(entry),
                made(entry),
                effect ? entry.number() : committed(entry),
                discarded(entry)));
      }
    }
  }

  List<PerformedStep> deeds() {
    return deeds;
  }

  Stream<PerformedStep> reads() {
    return deeds.stream().filter(PerformedStep::reads);
  }

  Stream<PerformedStep> changes() {
    return deeds.stream().filter(PerformedStep::changes);
  }

  private static double made(Entry entry) {
    return entry.resumedBefore() > 0 ? entry.resumedBefore() - 0.5 : entry.number();
  }

  private double seen(Entry entry) {
    return snapshots && entry.step().plainRead()
        ? ofTransaction(entry).mapToDouble(History::made).min().orElse(made(entry))
        : made(entry);
  }

  private Stream<Entry> ofTransaction(Entry entry) {
    return entries.stream()
        .filter(
            other ->
                other.actor() == entry.actor()
                    && other.life() == entry.life()
                    && other.step().transaction() == entry.step().transaction()
                    && other.step().transaction() > 0);
  }

  private int committed(Entry entry) {
    return ofTransaction(entry)
        .filter(other -> other.step().kind() == StepKind.COMMIT && took(other))
        .mapToInt(Entry::number)
        .findFirst()
        .orElse(0);
  }

  /** What ended the transaction of a deed: its commit or its rollback. */
  Optional<Entry> end(PerformedStep deed) {
    return ofTransaction(deed.entry()).filter(other -> other.step().endsTransaction()).findFirst();
  }

  /** A commit whose answer was lost is one. */
  private static boolean took(Entry commit) {
    return commit.fate().after() || (!commit.fate().before() && commit.result().error() == null);
  }

  /** A rollback after mere reading is only a way to close; what was read is used. */
  private boolean discarded(Entry entry) {
    return ofTransaction(entry).anyMatch(other -> other.step().kind() == StepKind.ROLLBACK)
        && ofTransaction(entry)
            .anyMatch(other -> other.result().error() != null || other.result().updated() > 0);
  }
}
