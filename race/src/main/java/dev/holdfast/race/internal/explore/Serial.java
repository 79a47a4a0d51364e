package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.judge.CanonicalOutcome;
import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding.Expected;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.run.ActorSpec;
import dev.holdfast.race.internal.run.Injection;
import dev.holdfast.race.internal.run.Setting;
import dev.holdfast.transaction.SqlError;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the actors leave when they run one after the other, in every order: the outcomes that are
 * right.
 *
 * <p>An actor that the database has refused (a constraint, a serialization failure) may also have
 * left what it leaves in a serial order, whatever it says there, or be as if it had not been there.
 * An abort that can strike at any time may strike at the same step in a serial order, too; but a
 * constraint cannot, so what an actor has committed before it was refused by one must be explained.
 * A guarded write that changes no row is like a constraint, if the code throws because of it.
 */
final class Serial {
  private static final int MAX_COLD_RUNS = 2;

  private record Known(List<Integer> order, Attempt attempt) {}

  private static final int MIN_STEPS = 100;
  private static final int STEPS_FACTOR = 10;

  private final Task task;
  private final Setting setting;
  private final Runner runner;
  private final List<Known> orders = new ArrayList<>();
  private final Map<String, List<Outcome>> refused = new HashMap<>();
  private final Set<String> masked = new TreeSet<>();
  private boolean cold;

  private Serial(Task task, Setting setting, Runner runner) {
    this.task = task;
    this.setting = setting;
    this.runner = runner;
  }

  /** Makes the serial runs, the first one at least twice, and refuses what cannot be explored. */
  static Serial of(Task task, Setting setting, Runner runner) throws SQLException {
    Serial serial = new Serial(task, withoutCrashes(setting), runner);
    serial.make();
    return serial;
  }

  private static Setting withoutCrashes(Setting setting) {
    return setting.with(
        setting.actors().stream()
            .map(
                actor ->
                    new ActorSpec(
                        actor.name(), actor.body(), actor.compared(), actor.kind(), false))
            .toList());
  }

  private void make() throws SQLException {
    for (List<Integer> order : Orders.of(setting.kinds())) {
      orders.add(new Known(order, orders.isEmpty() ? settled(order) : run(order)));
    }
    SerialChecks.sound(task, setting, orders.stream().map(Known::attempt).toList());
  }

  private Attempt run(List<Integer> order) throws SQLException {
    Attempt attempt = runner.run(setting, Guides.serial(order));
    SerialChecks.complete(attempt, setting);
    return attempt;
  }

  /** Runs until two runs make the same steps: the first ones may fill caches of the code. */
  private Attempt settled(List<Integer> order) throws SQLException {
    Attempt first = run(order);
    Attempt second = run(order);
    for (int runs = 0; runs < MAX_COLD_RUNS && !SerialChecks.areSame(first, second); runs++) {
      this.cold = true;
      first = second;
      second = run(order);
    }
    SerialChecks.seen(setting, List.of(first, second));
    SerialChecks.sameSteps(first, second, setting);
    compare(order, first, second);
    return second;
  }

  /** What differs between two runs of the same order is not for comparing. */
  private void compare(List<Integer> order, Attempt first, Attempt second) {
    CanonicalOutcome canon = canon();
    Outcome one = outcomeOf(first);
    Outcome other = outcomeOf(second);
    masked.addAll(canon.differing(one, other));
    requireSame(order, one, other);
  }

  private void requireSame(List<Integer> order, Outcome one, Outcome other) {
    if (task.comparesSerially() && !canon().of(one).equals(canon().of(other))) {
      throw notDeterministic(order);
    }
  }

  private Unexplorable notDeterministic(List<Integer> order) {
    return new NotDeterministic(
        "two runs of "
            + String.join(", then ", names(order))
            + " left different contents or results. A random number, the time or state kept between"
            + " runs may be the cause; use .invariant(…) instead of the serial comparison");
  }

  private CanonicalOutcome canon() {
    return new CanonicalOutcome(
        runner.database()::isGenerated, masked, runner.given(), setting.names(), Clock.systemUTC());
  }

  private static Outcome outcomeOf(Attempt attempt) {
    Outcome outcome = attempt.record().outcome();
    if (outcome == null) {
      throw new IllegalStateException("the run is not complete");
    }
    return outcome;
  }

  List<Attempt> attempts() {
    return orders.stream().map(Known::attempt).toList();
  }

  /** Far more steps than any actor makes when it is alone. */
  int maxSteps() {
    int maxIndex = entries().stream().mapToInt(entry -> entry.index() + 1).max().orElse(0);
    return MIN_STEPS + STEPS_FACTOR * maxIndex;
  }

  /**
   * Makes the serial runs again.
   *
   * @throws Unexplorable if they leave something else now: then not the order decides
   */
  void mustStillHold() throws SQLException {
    if (!task.comparesSerially()) {
      return;
    }
    for (Known known : orders) {
      Attempt again = runner.run(setting, Guides.serial(known.order));
      SerialChecks.complete(again, setting);
      SerialChecks.sameSteps(known.attempt, again, setting);
      if (!same(canon(), outcomeOf(known.attempt), outcomeOf(again), Set.of())) {
        throw notDeterministic(known.order);
      }
    }
  }

  /** Whether the first runs made other steps than the later ones. */
  boolean isCold() {
    return cold;
  }

  /** What is not compared, for it differs between equal runs. */
  Set<String> masked() {
    return masked;
  }

  List<Expected> expected() {
    return orders.stream()
        .map(known -> new Expected(names(known.order), outcomeOf(known.attempt)))
        .toList();
  }

  private List<String> names(List<Integer> order) {
    return order.stream().map(actor -> setting.names().get(actor)).toList();
  }

  /** Whether a serial order explains this. */
  boolean explains(Attempt attempt) throws SQLException {
    Outcome outcome = outcomeOf(attempt);
    CanonicalOutcome canon = canon();
    for (Known known : orders) {
      if (same(canon, outcome, outcomeOf(known.attempt), Set.of())) {
        return true;
      }
    }
    Set<Integer> without = refusedIn(attempt);
    if (without.isEmpty()) {
      return false;
    }
    for (Outcome possible : withRefusals(outcome, without)) {
      if (same(canon(), outcome, possible, without)) {
        return true;
      }
    }
    return false;
  }

  private boolean same(CanonicalOutcome canon, Outcome one, Outcome other, Set<Integer> without) {
    if (task.stateOnly()) {
      return canon.stateOf(one).equals(canon.stateOf(other));
    }
    int[] kinds = setting.kinds();
    return canon.of(one, without, kinds).equals(canon.of(other, without, kinds));
  }

  /** The actors that ended with a refusal by the database, or by a guarded write of their own. */
  private static Set<Integer> refusedIn(Attempt attempt) {
    Set<Integer> refused = new HashSet<>();
    List<ActorEnd> ends = outcomeOf(attempt).ends();
    for (int actor = 0; actor < ends.size(); actor++) {
      Throwable error = ends.get(actor).error();
      if (isRefusal(error) || (error != null && GuardRejections.refused(actor, attempt.record()))) {
        refused.add(actor);
      }
    }
    return refused;
  }

  static boolean isRefusal(@Nullable Throwable error) {
    return switch (SqlError.of(error)) {
      case UNIQUE_VIOLATION,
          FOREIGN_KEY_VIOLATION,
          CHECK_VIOLATION,
          NOT_NULL_VIOLATION,
          SERIALIZATION_FAILURE,
          DEADLOCK,
          LOCK_TIMEOUT ->
          true;
      default -> SqlStates.isExclusion(error);
    };
  }

  static @Nullable SqlError refusal(@Nullable Throwable error) {
    return isRefusal(error) ? SqlError.of(error) : null;
  }

  private List<Outcome> withRefusals(Outcome outcome, Set<Integer> without) throws SQLException {
    List<Injection> injections = new ArrayList<>();
    for (int actor : without) {
      ActorEnd end = outcome.ends().get(actor);
      SQLException cause = sqlCause(end.error());
      if (cause != null && end.atStep() >= 0 && SqlError.of(cause).isRetryable()) {
        injections.add(new Injection(actor, end.atStep(), cause));
      }
    }
    List<Outcome> known = refused.get(key(injections, without));
    if (known != null) {
      return known;
    }
    List<Outcome> possible = new ArrayList<>();
    orders.forEach(order -> possible.add(outcomeOf(order.attempt)));
    for (List<Integer> order : Orders.of(setting.kinds())) {
      List<Integer> others = new ArrayList<>(order);
      others.removeAll(without);
      possible.add(without(others, without));
      if (!injections.isEmpty()) {
        Attempt injected = runner.run(setting, Guides.serial(order), injections);
        if (injected.isComplete()) {
          possible.add(outcomeOf(injected));
        }
      }
    }
    refused.put(key(injections, without), possible);
    return possible;
  }

  /** As if they had not been there. */
  private Outcome without(List<Integer> others, Set<Integer> absent) throws SQLException {
    List<ActorSpec> specs = new ArrayList<>();
    for (int actor = 0; actor < setting.actors().size(); actor++) {
      ActorSpec spec = setting.actors().get(actor);
      specs.add(
          absent.contains(actor)
              ? new ActorSpec(spec.name(), dataSource -> null, spec.compared(), -1 - actor, false)
              : spec);
    }
    List<Integer> order = new ArrayList<>(others);
    order.addAll(absent);
    return outcomeOf(runner.run(setting.with(specs), Guides.serial(order)));
  }

  private static String key(List<Injection> injections, Set<Integer> without) {
    StringBuilder key = new StringBuilder().append(without);
    injections.forEach(
        injection ->
            key.append(injection.actor())
                .append('@')
                .append(injection.step())
                .append(injection.error().getSQLState()));
    return key.toString();
  }

  private static @Nullable SQLException sqlCause(@Nullable Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql) {
        return sql;
      }
    }
    return null;
  }

  /** The statements of all serial runs, with their actors. */
  List<Entry> entries() {
    return orders.stream().flatMap(known -> known.attempt.record().entries().stream()).toList();
  }
}
