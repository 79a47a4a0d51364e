package dev.holdfast.bench.race;

import dev.holdfast.race.ActorAction;
import dev.holdfast.race.internal.explore.AllOrders;
import dev.holdfast.race.internal.explore.AllOrders.Seen;
import dev.holdfast.race.internal.run.ActorSpec;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Isolation;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The bug of a program in every order, whatever it leads to. */
final class EveryOrder implements AutoCloseable {
  private static final int MAX_RUNS = 4_000;

  private final TestSchema schema;
  private final DataSource dataSource;
  private final Program program;

  EveryOrder(TestDatabase server, Program program) {
    this.program = program;
    schema = server.newSchema();
    schema.execute(program.tables().toArray(String[]::new));
    schema.execute(program.rows().toArray(String[]::new));
    dataSource = schema.dataSource(RaceBench.CONNECTIONS);
  }

  /** Makes all of them or, with pruning, those that can lead to something new. */
  Seen seen(boolean prune) throws SQLException {
    return AllOrders.of(
        dataSource, actors(program.alike()), Isolation.READ_COMMITTED, prune, MAX_RUNS);
  }

  /** How many runs it makes in a second, at least 20 with each opening of the database. */
  double runsPerSecond(Duration atLeast) throws SQLException {
    List<ActorSpec> actors = actors(/* alike= */ false);
    AllOrders.of(dataSource, actors, Isolation.READ_COMMITTED, false, MAX_RUNS / 10);
    int runs = 0;
    long start = System.nanoTime();
    while (System.nanoTime() - start < atLeast.toNanos()) {
      runs +=
          AllOrders.of(dataSource, actors, Isolation.READ_COMMITTED, false, MAX_RUNS / 10).runs();
    }
    return runs * 1e9 / (System.nanoTime() - start);
  }

  private List<ActorSpec> actors(boolean alike) {
    List<ActorSpec> actors = new ArrayList<>();
    for (ActorAction operation : program.broken()) {
      int number = actors.size();
      actors.add(
          new ActorSpec(
              Program.nameOf(number),
              given -> {
                operation.run(given);
                return null;
              },
              /* compared= */ false,
              /* kind= */ alike ? 0 : number,
              /* crashes= */ false));
    }
    return actors;
  }

  @Override
  public void close() {
    schema.close();
  }
}
