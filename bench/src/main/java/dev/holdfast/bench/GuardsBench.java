package dev.holdfast.bench;

import dev.holdfast.Holdfast;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Each guard against the same thing in hand-written JDBC, on a durable PostgreSQL, one client.
 *
 * <p>Both sides put {@link #PER_TRANSACTION} operations into each transaction, so that the cost of
 * the guard is not hidden behind the commit.
 */
final class GuardsBench implements Bench.Suite {
  static final int PER_TRANSACTION = 20;
  private static final double AIM = 0.90;

  @Override
  public void run(boolean quick, Results results) throws Exception {
    PrintStream out = results.out();
    Duel duel =
        quick
            ? new Duel(Duration.ofSeconds(2), 33, Duration.ofMillis(25))
            : new Duel(Duration.ofSeconds(5), 60, Duration.ofMillis(250));
    try (TestSchema schema = TestDatabase.durablePostgreSql().newSchema()) {
      DataSource dataSource = schema.dataSource(2);
      Transactions transactions = Holdfast.create(dataSource).transactions();
      out.println("database: durable " + transactions.call(tx -> tx.dialect().product()));
      out.printf("%-14s %12s %12s %7s%n", "guard", "holdfast/s", "jdbc/s", "ratio");
      for (GuardCase guard : GuardCases.all()) {
        guard.prepare(schema);
        HandWritten jdbc = new HandWritten(dataSource);
        Turns outcome = duel.fight(() -> guard.ours(transactions), () -> guard.theirs(jdbc));
        out.printf(
            "%-14s %12.0f %12.0f %7.2f%n",
            guard.name(), outcome.first(), outcome.second(), outcome.ratio());
        results.atLeast("guards." + guard.name() + ".vs-jdbc", AIM, outcome);
      }
    }
  }
}
