package dev.holdfast.testing.contract;

import static dev.holdfast.testing.contract.RollupStorm.TOTALS;
import static dev.holdfast.testing.contract.RollupStorm.WITH_FOREIGN_KEY;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.holdfast.guard.LockOrderException;
import dev.holdfast.guard.RollupResult;
import dev.holdfast.testing.ActorResults;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/** What the roll-up guarantees to many who change children of a few parents at once. */
public abstract class RollupRaceContract extends DatabaseContract {
  protected RollupRaceContract(TestDatabase database) {
    super(database);
  }

  @Test
  void isRightAfterAStormOfChanges() {
    RollupStorm.createOrders(schema, WITH_FOREIGN_KEY);
    RollupStorm.run(
        schema,
        (orders, isLast, change) ->
            transactions.run(
                tx -> {
                  TOTALS.lockAll(tx, orders).requireAll();
                  change.make(tx.connection());
                  orders.forEach(order -> TOTALS.apply(tx, order));
                }));
  }

  @Test
  void isExactAfterStormLockingParentsLast() {
    assumeFalse(foreignKeysDeadlock(), "the parents must be locked first there");
    RollupStorm.createOrders(schema, WITH_FOREIGN_KEY);
    RollupStorm.run(
        schema,
        (orders, isLast, change) ->
            transactions.run(
                tx -> {
                  change.make(tx.connection());
                  TOTALS.lockAll(tx, orders).requireAll();
                  orders.forEach(order -> TOTALS.apply(tx, order));
                }));
  }

  @Test
  void theStormCatchesCountingBeforeLocking() {
    RollupStorm.createOrders(schema, !WITH_FOREIGN_KEY);
    CyclicBarrier allHaveCounted = new CyclicBarrier(RollupStorm.THREADS);
    assertThatThrownBy(
            () ->
                RollupStorm.run(
                    schema,
                    (orders, isLast, change) ->
                        transactions.run(
                            tx -> {
                              change.make(tx.connection());
                              List<String> updates = new ArrayList<>();
                              for (long order : new TreeSet<>(orders)) {
                                updates.add(RollupStorm.countAndWriteLater(tx, order));
                              }
                              if (isLast) {
                                allHaveCounted.await(30, SECONDS);
                              }
                              for (String update : updates) {
                                RowLocksTwins.write(tx.connection(), update);
                              }
                            })))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("orders that do not tell");
  }

  @Test
  void insertBeforeLockDeadlocksWithForeignKeys() {
    RollupStorm.createOrders(schema, WITH_FOREIGN_KEY);
    // each round meets at another point: the lock before the count must hold at all of them
    int rounds = foreignKeysDeadlock() ? 1 : 20;
    for (int round = 1; round <= rounds; round++) {
      int firstLine = 2 * round;
      CyclicBarrier bothHaveInserted = new CyclicBarrier(2);
      ActorResults<RollupResult> outcomes =
          ConcurrentActors.run(
              2,
              actor ->
                  transactions.call(
                      tx -> {
                        Sql.execute(
                            tx.connection(),
                            "insert into order_lines values (%d, 1, 5, 'OPEN')"
                                .formatted(firstLine + actor));
                        bothHaveInserted.await(30, SECONDS);
                        return TOTALS.apply(tx, 1);
                      }));
      if (foreignKeysDeadlock()) {
        assertThat(outcomes.failures())
            .singleElement()
            .isInstanceOfSatisfying(
                DatabaseException.class,
                failure -> assertThat(failure.error()).isEqualTo(SqlError.DEADLOCK));
      } else {
        assertThat(outcomes.resultsOrThrow()).hasSize(2);
      }
      RollupStorm.assertRight(schema);
    }
  }

  @Test
  void locksParentsInTheOneOrder() {
    RollupStorm.createOrders(schema, WITH_FOREIGN_KEY);
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      TOTALS.apply(tx, 2);
                      TOTALS.apply(tx, 1);
                    }))
        .isInstanceOf(LockOrderException.class)
        .hasMessageContaining("RollupRaceContract");
    transactions.run(
        tx -> {
          TOTALS.lockAll(tx, List.of(2, 1)).requireAll();
          TOTALS.apply(tx, 2);
          TOTALS.apply(tx, 1);
        });
  }

  /** MariaDB and MySQL lock the parent of a new child against roll-ups. */
  private boolean foreignKeysDeadlock() {
    return database().name().matches("MariaDB|MySQL");
  }
}
