package dev.holdfast.race.own;

import java.util.List;
import java.util.stream.Stream;

/** Careless edits of the conditional writes of leases and fences. */
class LeaseMutantsIT extends MutantTests {
  @Override
  List<Mutant> mutants() {
    return Stream.of(
            LeaseMutants.ACQUIRING,
            LeaseMutants.HOLDING,
            LeaseMutants.FENCES,
            LineMutants.ALL,
            SharedLeaseMutants.ALL)
        .flatMap(List::stream)
        .toList();
  }

  @Override
  List<Mutant> onMariaDb() {
    return LeaseMutantsElsewhere.ON_MARIADB;
  }

  @Override
  List<Mutant> onH2() {
    return LeaseMutantsElsewhere.ON_H2;
  }

  @Override
  List<EquivalentMutant> equivalents() {
    return EquivalentLeases.ALL;
  }
}
