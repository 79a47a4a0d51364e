package dev.holdfast.race.internal.judge;

import dev.holdfast.race.internal.judge.Fact.Entity;
import dev.holdfast.race.internal.judge.Fact.Part;
import dev.holdfast.race.internal.judge.Fact.Plain;
import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Cell;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.TableContent;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/**
 * Converts outcomes to text, so that those that mean the same are equal.
 *
 * <p>Ids that the database has made, and UUIDs that were not there before, have no identity of
 * their own: only what refers to the same one counts, in columns and inside of texts, declared as a
 * foreign key or not. Times of the last minutes are all "now". A table that is as the setup left it
 * equals one that is not mentioned. The order of rows and of effects means nothing.
 *
 * <p>Ids of different tables must not be equal accidentally: each table's must be from a range of
 * its own. Immutable; thread-safe.
 */
public final class CanonicalOutcome {
  /** Ends a value; no text of a database holds it. */
  private static final Plain NEXT = new Plain("\u001f");

  private static final Plain SOMEONE = new Plain("someone");

  private static final Plain ANY = new Plain("‹any›");

  private final ValueReader reading;
  private final Set<String> masked;
  private final Outcome given;
  private final List<String> actors;
  private final Map<String, List<String>> unchanged = new HashMap<>();

  /**
   * For the outcomes of one exploration.
   *
   * @param generated whether a number can only be an id that the database has made since the setup
   * @param masked what is not compared: {@code table.column}, {@code result of Ana}
   * @param given what the setup has left, without ends of actors
   * @param actors their names
   * @param clock of this JVM
   */
  public CanonicalOutcome(
      LongPredicate generated,
      Set<String> masked,
      Outcome given,
      List<String> actors,
      Clock clock) {
    this(new ValueReader(generated, given, clock), masked, given, actors);
  }

  private CanonicalOutcome(
      ValueReader reading, Set<String> masked, Outcome given, List<String> actors) {
    this.reading = reading;
    this.masked = Set.copyOf(masked);
    this.given = given;
    this.actors = List.copyOf(actors);
    for (TableContent table : given.tables()) {
      unchanged.put(table.table(), Colours.texts(factsOf(table)));
    }
  }

  /** The same, comparing still less. */
  public CanonicalOutcome masking(Set<String> more) {
    Set<String> all = new HashSet<>(masked);
    all.addAll(more);
    return new CanonicalOutcome(reading, all, given, actors);
  }

  /** What is not compared. */
  public Set<String> masked() {
    return masked;
  }

  /** The tables and the effects of all actors. */
  public String stateOf(Outcome outcome) {
    List<Fact> facts = tables(outcome);
    for (Outcome.Effect effect : outcome.effects()) {
      facts.add(effect(SOMEONE, effect));
    }
    return text(facts);
  }

  /**
   * The tables, the effects, and how the actors ended.
   *
   * @param without actors whose end is not looked at
   * @param alike actors with the same number are interchangeable
   */
  public String of(Outcome outcome, Set<Integer> without, int[] alike) {
    List<Fact> facts = tables(outcome);
    for (Outcome.Effect effect : outcome.effects()) {
      boolean named = named(outcome, effect.actor());
      facts.add(effect(named ? actor(effect.actor(), alike) : SOMEONE, effect));
    }
    for (int actor = 0; actor < outcome.ends().size(); actor++) {
      if (!without.contains(actor)) {
        facts.add(end(actor, outcome.ends().get(actor), alike));
      }
    }
    return text(facts);
  }

  /** Likewise, if no actor is like another and all ends are looked at. */
  public String of(Outcome outcome) {
    return of(outcome, Set.of(), IntStream.range(0, actors.size()).toArray());
  }

  /**
   * What must not be compared because it is not even the same in two runs of the same order: {@code
   * table.column}, {@code result of Ana}. Empty if they are the same, or if no few columns explain
   * how they differ.
   */
  public Set<String> differing(Outcome one, Outcome other) {
    return new DifferingColumns(this, actors).between(one, other);
  }

  private List<Fact> tables(Outcome outcome) {
    List<Fact> facts = new ArrayList<>();
    for (TableContent table : outcome.tables()) {
      List<Fact> rows = factsOf(table);
      boolean plain = rows.stream().allMatch(Fact::isPlain);
      List<String> before = unchanged.getOrDefault(table.table(), List.of());
      if (!plain || !Colours.texts(rows).equals(before)) {
        facts.add(new Fact(List.of(new Plain("changed " + table.table()))));
        facts.addAll(rows);
      }
    }
    return facts;
  }

  private List<Fact> factsOf(TableContent table) {
    List<Fact> facts = new ArrayList<>(table.rows().size());
    for (List<Cell> row : table.rows()) {
      List<Part> parts = new ArrayList<>();
      parts.add(new Plain("row of " + table.table()));
      for (int column = 0; column < row.size(); column++) {
        parts.add(NEXT);
        if (masked.contains(table.table() + "." + table.columns().get(column))) {
          parts.add(ANY);
        } else {
          reading.add(row.get(column), parts);
        }
      }
      facts.add(new Fact(parts));
    }
    return facts;
  }

  /**
   * Whether the end of the actor is visible, so that its effects must match it. Which of the other
   * actors has an effect depends on the order.
   */
  private static boolean named(Outcome outcome, int actor) {
    List<ActorEnd> ends = outcome.ends();
    return actor < ends.size()
        && (ends.get(actor).error() != null || !ends.get(actor).result().text().isEmpty());
  }

  private Fact effect(Part whose, Outcome.Effect effect) {
    List<Part> parts = new ArrayList<>(List.of(new Plain("effect of "), whose, NEXT));
    reading.addText(effect.name(), parts);
    return new Fact(parts);
  }

  private Fact end(int actor, ActorEnd end, int[] alike) {
    List<Part> parts = new ArrayList<>(List.of(new Plain("end of "), actor(actor, alike), NEXT));
    Throwable error = end.error();
    if (error != null) {
      parts.add(new Plain("threw " + ValueReader.textOf(error)));
    } else if (IntStream.range(0, alike.length)
        .anyMatch(i -> alike[i] == alike[actor] && masked.contains(resultOf(i)))) {
      parts.add(ANY);
    } else {
      reading.add(end.result(), parts);
    }
    return new Fact(parts);
  }

  /** One that is like others has no identity of its own either. */
  private static Part actor(int actor, int[] alike) {
    boolean alone = IntStream.of(alike).filter(group -> group == alike[actor]).count() == 1;
    return alone
        ? new Plain("actor " + actor)
        : new Entity("actor " + actor, "actor like " + alike[actor]);
  }

  String resultOf(int actor) {
    return "result of " + actors.get(actor);
  }

  private static String text(List<Fact> facts) {
    return String.join("\n", Colours.texts(facts));
  }
}
