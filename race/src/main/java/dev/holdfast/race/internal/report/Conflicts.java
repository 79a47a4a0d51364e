package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.report.Conflict.Pattern;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds where actors interfered: one read what another changed and committed later, and something
 * of the first comes after something of the second. What is not plain to see in the statements is
 * not claimed.
 */
final class Conflicts {
  private final History history;
  private final boolean compared;
  private final Predicate<String> wrongAtTheEnd;

  /**
   * @param compared whether it is known what the serial orders give
   * @param wrongAtTheEnd whether a table's content is then another than in all of them
   */
  Conflicts(History history, boolean compared, Predicate<String> wrongAtTheEnd) {
    this.history = history;
    this.compared = compared;
    this.wrongAtTheEnd = wrongAtTheEnd;
  }

  /** The one that explains the most. */
  Optional<Conflict> best() {
    List<Conflict> found = new ArrayList<>();
    history
        .reads()
        .forEach(
            read ->
                history
                    .changes()
                    .filter(c -> c.actor() != read.actor() && c.changesWhat(read))
                    .filter(change -> read.seen() < change.committed())
                    .forEach(change -> add(read, change, found)));
    history.changes().forEach(act -> addStale(act, found));
    return found.stream()
        .min(
            Comparator.comparing(Conflicts::isOfOtherRows)
                .thenComparing(Conflict::pattern)
                .thenComparing(conflict -> !actsOnWhatIsOutOfDate(conflict))
                .thenComparing(Conflict::distance));
  }

  /** Whether the text says that what was changed is not what was read: other ids. */
  private static boolean isOfOtherRows(Conflict conflict) {
    Map<String, String> read = conflict.read().sql().equalities();
    Sql change = conflict.change().sql();
    return change.equalities().entrySet().stream()
        .filter(e -> !change.assignments().containsKey(e.getKey()))
        .anyMatch(e -> !e.getValue().equals(read.getOrDefault(e.getKey(), e.getValue())));
  }

  /** Whether it acts when the other's change is there already: the plainest to follow. */
  private static boolean actsOnWhatIsOutOfDate(Conflict conflict) {
    return conflict.act().made() > conflict.change().committed();
  }

  private void add(PerformedStep read, PerformedStep change, List<Conflict> found) {
    history
        .changes()
        .filter(act -> act.actor() == read.actor() && act.made() >= read.made())
        .forEach(act -> addActed(read, change, act, found));
    history
        .reads()
        .filter(again -> again.actor() == read.actor() && again.number() != read.number())
        .filter(again -> again.seen() > change.committed())
        .filter(again -> sawAnother(read, change, again))
        .forEach(
            again -> found.add(new Conflict(Pattern.INCONSISTENT_READ, read, change, again, null)));
  }

  /**
   * An update that waited uses the row as it is then, but what it has read of other tables stays as
   * it was when it began.
   */
  private void addStale(PerformedStep act, List<Conflict> found) {
    if (!act.sql().verb().equals("update")) {
      return;
    }
    history
        .changes()
        .filter(change -> act.entry().waitedFor().contains(change.actor()))
        .filter(change -> act.reads() && change.changesWhat(act))
        .filter(change -> act.number() < change.committed() && change.committed() < act.made())
        .filter(change -> !compared || act.sql().writes().stream().anyMatch(wrongAtTheEnd))
        .forEach(
            change -> found.add(new Conflict(Pattern.STALE_SUBSELECT, act, change, act, null)));
  }

  private void addActed(
      PerformedStep read, PerformedStep change, PerformedStep act, List<Conflict> found) {
    PerformedStep theirs = theirRead(read, change, act);
    Pattern pattern = null;
    if (overwrites(change, act) || replaces(read, change, act)) {
      pattern = Pattern.LOST_UPDATE;
    } else if (theirs != null && changeOtherRows(change, act, read, theirs)) {
      pattern = Pattern.WRITE_SKEW;
    } else if (theirs != null && sameRead(read, theirs) && actAlike(change, act)) {
      pattern = Pattern.DOUBLE_SPEND;
    } else if (act.made() > change.committed()) {
      pattern = Pattern.DIRTY_DECISION;
    }
    if (pattern != null) {
      found.add(new Conflict(pattern, read, change, act, theirs));
    }
  }

  /**
   * What the other read before it made its change and before this one's act was committed: of what
   * this one changes, or the same as this one.
   */
  private @Nullable PerformedStep theirRead(
      PerformedStep read, PerformedStep change, PerformedStep act) {
    return history
        .reads()
        .filter(r -> r.actor() == change.actor() && r.made() <= change.made())
        .filter(r -> r.seen() < act.committed())
        .filter(r -> act.changesWhat(r) || sameRead(read, r))
        .max(
            Comparator.comparing((PerformedStep r) -> sameRead(read, r))
                .thenComparing(PerformedStep::number))
        .orElse(null);
  }

  private static boolean sameRead(PerformedStep one, PerformedStep other) {
    return one.sql().bound().equals(other.sql().bound())
        && one.entry().result().learned().equals(other.entry().result().learned());
  }

  /** Whether both did the same kind of thing: the same statement, or rows into the same table. */
  private boolean actAlike(PerformedStep change, PerformedStep act) {
    return history
        .changes()
        .filter(other -> other.actor() == change.actor())
        .anyMatch(
            other ->
                (other.isEffect() && act.isEffect() && sameName(other, act))
                    || (!act.isEffect() && other.sql().unbound().equals(act.sql().unbound()))
                    || (other.inserts() && act.inserts() && other.changesTheTableOf(act)));
  }

  private static boolean sameName(PerformedStep one, PerformedStep other) {
    return one.entry().step().text().equals(other.entry().step().text());
  }

  private static boolean changeOtherRows(
      PerformedStep change, PerformedStep act, PerformedStep read, PerformedStep theirs) {
    if (act.isEffect() || !act.changesWhat(theirs)) {
      return false;
    }
    if (!act.changesTheTableOf(change)) {
      return true;
    }
    boolean otherQuestions = !read.sql().bound().equals(theirs.sql().bound());
    return act.sameOfOtherRows(change) || (act.inserts() && change.inserts() && otherQuestions);
  }

  /** Whether an update sets a column of the same row, to what does not depend on its new value. */
  private boolean overwrites(PerformedStep change, PerformedStep act) {
    if (!act.sql().verb().equals("update")
        || !change.sql().verb().equals("update")
        || act.made() < change.made()
        || !act.changesTheTableOf(change)
        || act.sql().where().isEmpty()
        || !act.sql().mayMeanSameRow(change.sql())) {
      return false;
    }
    Map<String, List<Token>> theirs = change.sql().assignments();
    return act.sql().assignments().entrySet().stream()
        .anyMatch(set -> theirs.containsKey(set.getKey()) && isLost(set.getValue(), act));
  }

  /** Whether an upsert writes what it has read of the row, as the other did. */
  private boolean replaces(PerformedStep read, PerformedStep change, PerformedStep act) {
    return compared
        && act.sql().upserts()
        && change.sql().upserts()
        && act.made() > change.made()
        && act.number() != read.number()
        && act.changesWhat(read)
        && act.changesTheTableOf(change)
        && act.sql().writes().stream().anyMatch(wrongAtTheEnd);
  }

  /** Without the type that a value is cast to: {@code ?::jsonb}. */
  private static List<Token> withoutCast(List<Token> value) {
    for (int i = 1; i < value.size(); i++) {
      if (value.get(i).isOneOf("::", ":")) {
        return value.subList(0, i);
      }
    }
    return value;
  }

  /** If the expected result is unknown, only a bound number indicates a computation. */
  private boolean isLost(List<Token> value, PerformedStep act) {
    List<Token> set = withoutCast(value);
    boolean word = set.stream().anyMatch(t -> t.kind() == Token.Kind.WORD);
    boolean computed =
        set.size() == 1
            && set.get(0).kind() == Token.Kind.BOUND
            && set.get(0).text().matches("-?[0-9.]+");
    return compared
        ? (!word || set.size() == 1) && act.sql().writes().stream().anyMatch(wrongAtTheEnd)
        : computed;
  }

  private boolean sawAnother(PerformedStep read, PerformedStep change, PerformedStep again) {
    boolean ofTheirs =
        history
            .changes()
            .filter(c -> c.actor() == change.actor() && c.committed() < again.seen())
            .anyMatch(c -> c.changesWhat(again));
    boolean sameQuestion = read.sql().bound().equals(again.sql().bound());
    boolean sameAnswer = read.entry().result().learned().equals(again.entry().result().learned());
    return ofTheirs && !(sameQuestion && sameAnswer);
  }
}
