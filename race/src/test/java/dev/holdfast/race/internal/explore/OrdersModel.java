package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Move;
import dev.holdfast.race.internal.run.Guide;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Actors that make so many steps each and never wait: a run without a database, to see which orders
 * a guide makes. What the future depends on is where each actor is.
 *
 * @param steps how many each actor makes
 * @param crashes whether the first one may crash at each of its steps, once
 */
record OrdersModel(List<Integer> steps, boolean crashes) {

  static OrdersModel of(Integer... steps) {
    return new OrdersModel(List.of(steps), false);
  }

  OrdersModel crashing() {
    return new OrdersModel(steps, true);
  }

  int[] kinds() {
    return IntStream.range(0, steps.size()).toArray();
  }

  /**
   * A run.
   *
   * @param cut whether the guide has ended it
   */
  record Made(List<Move> moves, boolean cut) {}

  Made run(Guide guide) {
    List<Move> moves = new ArrayList<>();
    for (List<Integer> enabled = enabled(moves); !enabled.isEmpty(); enabled = enabled(moves)) {
      Move move = guide.next(situation(moves, enabled));
      if (move == null) {
        return new Made(moves, true);
      }
      moves.add(move);
    }
    return new Made(moves, false);
  }

  /** Every order there is. */
  List<List<Move>> all() {
    List<List<Move>> all = new ArrayList<>();
    extend(new ArrayList<>(), all);
    return all;
  }

  private void extend(List<Move> moves, List<List<Move>> all) {
    List<Integer> enabled = enabled(moves);
    if (enabled.isEmpty()) {
      all.add(List.copyOf(moves));
    }
    for (int actor : enabled) {
      moves.add(Move.go(actor));
      extend(moves, all);
      moves.remove(moves.size() - 1);
    }
  }

  /** How often an actor that could go on had to let another go. */
  int preemptions(List<Move> moves) {
    int preemptions = 0;
    for (int i = 1; i < moves.size(); i++) {
      int before = moves.get(i - 1).actor();
      if (moves.get(i).actor() != before && enabled(moves.subList(0, i)).contains(before)) {
        preemptions++;
      }
    }
    return preemptions;
  }

  String state(List<Move> moves) {
    return IntStream.range(0, steps.size()).mapToObj(actor -> made(moves, actor)).toList()
        + (hasCrashed(moves) ? "!" : "");
  }

  private List<Integer> enabled(List<Move> moves) {
    return IntStream.range(0, steps.size())
        .filter(actor -> made(moves, actor) < steps.get(actor))
        .boxed()
        .toList();
  }

  private static boolean hasCrashed(List<Move> moves) {
    return moves.stream().anyMatch(move -> move.fate() != Fate.GO);
  }

  private static int made(List<Move> moves, int actor) {
    return (int) moves.stream().filter(move -> move.actor() == actor).count();
  }

  private Guide.Situation situation(List<Move> moves, List<Integer> enabled) {
    List<Integer> crashable =
        crashes && enabled.contains(0) && !hasCrashed(moves) ? List.of(0) : List.of();
    @Nullable Move last = moves.isEmpty() ? null : moves.get(moves.size() - 1);
    return new Guide.Situation(
        enabled,
        List.of(),
        last == null ? -1 : last.actor(),
        IntStream.range(0, steps.size()).mapToObj(actor -> made(moves, actor) > 0).toList(),
        crashable,
        crashable,
        state(moves));
  }
}
