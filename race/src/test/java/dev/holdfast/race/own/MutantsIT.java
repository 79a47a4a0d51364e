package dev.holdfast.race.own;

import java.util.List;
import java.util.stream.Stream;

/** Careless edits of the conditional writes of guards and events. */
class MutantsIT extends MutantTests {
  @Override
  List<Mutant> mutants() {
    return Stream.of(
            GuardMutants.ALL,
            HandlingMutants.ALL,
            ChangeMutants.ALL,
            KeyMutants.ALL,
            OrderMutants.ALL,
            WorkerMutants.ALL)
        .flatMap(List::stream)
        .toList();
  }

  @Override
  List<Mutant> onMariaDb() {
    return MariaDbMutants.ALL;
  }

  @Override
  List<Mutant> onH2() {
    return List.of();
  }

  @Override
  List<EquivalentMutant> equivalents() {
    return EquivalentMutant.ALL;
  }
}
