package dev.holdfast.race.internal.explore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.explore.OrdersModel.Made;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Move;
import dev.holdfast.race.internal.run.Guide;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which orders are made, and in which order they are. */
final class SearchTest {
  private static final OrdersModel TWO = OrdersModel.of(4, 4);
  private static final OrdersModel THREE = OrdersModel.of(3, 2, 2);

  private static List<List<Move>> upTo(OrdersModel model, int bound) {
    return model.all().stream().filter(order -> model.preemptions(order) <= bound).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void theOrdersWithinABoundAreMadeAndNoOthers(int bound) {
    for (OrdersModel model : List.of(TWO, THREE)) {
      Search search = new Search(model.kinds(), /* prune= */ false);
      List<List<Move>> made = new ArrayList<>();
      for (Guide guide = search.next(bound); guide != null; guide = search.next(bound)) {
        Made run = model.run(guide);
        assertThat(model.preemptions(run.moves())).isEqualTo(search.level());
        made.add(run.moves());
      }

      assertThat(made).containsExactlyInAnyOrderElementsOf(upTo(model, bound));
      assertThat(search.level()).isEqualTo(bound + 1);
    }
  }

  @Test
  void unboundedSearchMakesEachOrderOnce() {
    Search search = new Search(THREE.kinds(), /* prune= */ false);
    List<List<Move>> made = new ArrayList<>();
    for (Guide guide = search.next(-1); guide != null; guide = search.next(-1)) {
      made.add(THREE.run(guide).moves());
    }

    assertThat(made).containsExactlyInAnyOrderElementsOf(THREE.all());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void prunedOrdersWereMade(int bound) {
    for (OrdersModel model : List.of(TWO, THREE)) {
      Search search = new Search(model.kinds(), /* prune= */ true);
      Set<String> made = new HashSet<>();
      int runs = 0;
      for (Guide guide = search.next(bound); guide != null; guide = search.next(bound)) {
        Made run = model.run(guide);
        assertThat(model.preemptions(run.moves())).isLessThanOrEqualTo(bound);
        made.addAll(decisions(model, run.moves()));
        runs++;
      }

      Set<String> wanted = new HashSet<>();
      upTo(model, bound).forEach(order -> wanted.addAll(decisions(model, order)));
      assertThat(made).isEqualTo(wanted);
      assertThat(runs).isLessThanOrEqualTo(upTo(model, bound).size());
    }
  }

  private static Set<String> decisions(OrdersModel model, List<Move> moves) {
    Set<String> decisions = new HashSet<>();
    for (int i = 0; i < moves.size(); i++) {
      decisions.add(model.state(moves.subList(0, i)) + " " + moves.get(i));
    }
    return decisions;
  }

  private static List<List<Move>> random(OrdersModel model, long seed) {
    Random random = new Random(seed);
    return IntStream.range(0, 100)
        .mapToObj(run -> model.run(Guides.random(random)).moves())
        .toList();
  }

  @Test
  void equalSeedsMakeEqualRandomRuns() {
    OrdersModel model = OrdersModel.of(6, 6, 6).crashing();

    assertThat(random(model, 7)).isEqualTo(random(model, 7)).isNotEqualTo(random(model, 8));
    assertThat(new HashSet<>(random(model, 7))).hasSizeGreaterThan(50);
  }

  @Test
  void randomRunsCrashAllowedActorsOnce() {
    OrdersModel model = OrdersModel.of(6, 6);

    assertThat(random(model, 7)).allMatch(run -> crashes(run).isEmpty());
    List<List<Move>> crashing = random(model.crashing(), 7);
    assertThat(crashing).allMatch(run -> crashes(run).size() <= 1);
    assertThat(crashing.stream().flatMap(run -> crashes(run).stream()))
        .extracting(Move::fate)
        .contains(Fate.DIE_AFTER, Fate.DIE_BEFORE, Fate.LOSE_AFTER, Fate.LOSE_BEFORE);
    assertThat(crashing.stream().filter(run -> crashes(run).isEmpty())).isNotEmpty();
  }

  private static List<Move> crashes(List<Move> run) {
    return run.stream().filter(move -> move.fate() != Fate.GO).toList();
  }
}
