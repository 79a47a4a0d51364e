package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Move;
import dev.holdfast.race.internal.run.Guide;
import java.util.List;
import java.util.Random;

/** Ways through a run. */
final class Guides {
  private static final int CRASH_ONE_OF = 10;

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

  /** Exactly these decisions, and then the last actor continues. */
  static Guide exactly(List<Move> moves) {
    int[] place = {0};
    return situation ->
        place[0] < moves.size() ? moves.get(place[0]++) : Move.go(goesOn(situation));
  }

  /** The actor that continues without a preemption. One that polls does not: it waits. */
  static int goesOn(Guide.Situation situation) {
    List<Integer> going = situation.going();
    return going.contains(situation.last()) ? situation.last() : going.get(0);
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
      return Move.go(goesOn(situation));
    };
  }

  /** Random, with a preference for the current actor; actors that may crash do so sometimes. */
  static Guide random(Random random) {
    return situation -> {
      List<Integer> crashable = situation.crashable();
      if (!crashable.isEmpty() && random.nextInt(CRASH_ONE_OF) == 0) {
        int actor = crashable.get(random.nextInt(crashable.size()));
        List<Fate> fates = situation.crashes(actor);
        return new Move(actor, fates.get(random.nextInt(fates.size())));
      }
      List<Integer> going = situation.going();
      if (going.contains(situation.last()) && random.nextBoolean()) {
        return Move.go(situation.last());
      }
      return Move.go(going.get(random.nextInt(going.size())));
    };
  }
}
