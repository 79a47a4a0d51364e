package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Move;
import dev.holdfast.race.internal.run.Guide;
import java.util.List;
import java.util.Random;

/** Ways through a run. */
final class Guides {
  private Guides() {}

  /** One actor after the other. */
  static Guide serial(List<Integer> order) {
    return situation ->
        order.stream()
            .filter(situation::isEnabled)
            .findFirst()
            .map(Move::go)
            .orElseGet(() -> Move.go(situation.enabled().get(0)));
  }

  /** Exactly these decisions, and then whoever went last goes on. */
  static Guide exactly(List<Move> moves) {
    int[] place = {0};
    return situation ->
        place[0] < moves.size() ? moves.get(place[0]++) : Move.go(situation.goesOn());
  }

  /** These decisions as far as they can be made; what cannot be is left out. */
  static Guide roughly(List<Move> moves) {
    int[] place = {0};
    return situation -> {
      while (place[0] < moves.size()) {
        Move wanted = moves.get(place[0]++);
        if (situation.isEnabled(wanted.actor())) {
          return wanted;
        }
      }
      return Move.go(situation.goesOn());
    };
  }

  /** By chance, with a liking for going on. */
  static Guide random(Random random) {
    return situation -> {
      if (situation.isEnabled(situation.last()) && random.nextBoolean()) {
        return Move.go(situation.last());
      }
      List<Integer> enabled = situation.enabled();
      return Move.go(enabled.get(random.nextInt(enabled.size())));
    };
  }
}
