package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Move;
import dev.holdfast.race.internal.run.Guide;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All orders of the steps, those with few preemptions first.
 *
 * <ol>
 *   <li>A run follows a prefix of decisions, and then no actor is preempted. At each state that it
 *       comes to, the other decisions are put into the queue of as many preemptions as they need.
 *   <li>A decision that was made in the same state before is not made again: the run is pruned
 *       there, because its future is known. As the queues are emptied in the order of preemptions,
 *       the earlier run never had more of them.
 * </ol>
 */
final class Search {
  private record Edge(String state, Move move) {}

  private record Prefix(List<Move> moves, @Nullable Edge last) {}

  private final int[] kinds;
  private final boolean prune;
  private final List<Deque<Prefix>> queues = new ArrayList<>();
  private final Set<Edge> made = new HashSet<>();
  private final Map<Edge, Integer> queued = new HashMap<>();
  private int level;

  /**
   * All orders.
   *
   * @param kinds which actors are interchangeable
   * @param prune whether what was seen is not looked at again; without, every order is made
   */
  Search(int[] kinds, boolean prune) {
    this.kinds = kinds;
    this.prune = prune;
    queue(0).add(new Prefix(List.of(), null));
  }

  /** How many preemptions the next run has, at least. */
  int level() {
    return level;
  }

  /** The guide of the next run; null if all orders with at most these preemptions are made. */
  @Nullable Guide next(int maxPreemptions) {
    while (level < queues.size()) {
      if (maxPreemptions >= 0 && level > maxPreemptions) {
        return null;
      }
      Prefix prefix = queue(level).poll();
      if (prefix == null) {
        level++;
        continue;
      }
      Edge last = prefix.last;
      if (!prune || last == null || made.add(last)) {
        return new Way(prefix.moves);
      }
    }
    return null;
  }

  private Deque<Prefix> queue(int preemptions) {
    while (queues.size() <= preemptions) {
      queues.add(new ArrayDeque<>());
    }
    return queues.get(preemptions);
  }

  /** One run through the tree. */
  private final class Way implements Guide {
    private final List<Move> prefix;
    private final List<Move> moves = new ArrayList<>();

    Way(List<Move> prefix) {
      this.prefix = prefix;
    }

    @Override
    public @Nullable Move next(Situation situation) {
      if (moves.size() < prefix.size()) {
        Move move = prefix.get(moves.size());
        moves.add(move);
        return move;
      }
      Move on = Move.go(Guides.goesOn(situation));
      boolean preempts = situation.going().contains(situation.last());
      for (Move other : options(situation)) {
        if (!other.equals(on)) {
          later(situation, other, preempts && other.actor() != situation.last());
        }
      }
      if (prune && !made.add(new Edge(situation.state(), on))) {
        return null;
      }
      moves.add(on);
      return on;
    }

    private void later(Situation situation, Move move, boolean preempts) {
      Edge edge = new Edge(situation.state(), move);
      int needed = level + (preempts ? 1 : 0);
      if (prune && (made.contains(edge) || queued.getOrDefault(edge, needed + 1) <= needed)) {
        return;
      }
      queued.put(edge, needed);
      List<Move> longer = new ArrayList<>(moves);
      longer.add(move);
      queue(needed).add(new Prefix(longer, edge));
    }
  }

  private List<Move> options(Guide.Situation situation) {
    List<Move> options = new ArrayList<>();
    for (int actor : situation.going()) {
      if (!isTwinOfAnother(actor, situation)) {
        options.add(Move.go(actor));
        situation.crashes(actor).forEach(fate -> options.add(new Move(actor, fate)));
      }
    }
    return options;
  }

  /** Of those that do the same and have not begun, the first one stands for all. */
  private boolean isTwinOfAnother(int actor, Guide.Situation situation) {
    if (situation.started().get(actor)) {
      return false;
    }
    for (int before = 0; before < actor; before++) {
      if (kinds[before] == kinds[actor]
          && !situation.started().get(before)
          && situation.isEnabled(before)) {
        return true;
      }
    }
    return false;
  }
}
