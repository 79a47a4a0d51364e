package dev.holdfast.testing.contract;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Looks from outside at the order in which rows get locked: while somebody holds the middle one,
 * all rows before it become locked, and none after it.
 */
final class LockOrderProbe {
  private final TestSchema schema;
  private final Transactions transactions;
  private final String column;
  private final List<String> keys;

  /** Locks the rows of {@code things} that have these keys. */
  @FunctionalInterface
  interface Lock {
    void lock(Transaction tx, List<String> keys) throws Exception;
  }

  /**
   * @param column "id", the primary key, or "word", another key
   * @param count of the rows to lock, among five times as many
   */
  LockOrderProbe(TestSchema schema, Transactions transactions, String column, int count) {
    this.schema = schema;
    this.transactions = transactions;
    this.column = column;
    List<String> all = IntStream.range(0, 5 * count).mapToObj("k%05d"::formatted).toList();
    this.keys = all.subList(2 * count, 3 * count);
    createThings(all);
  }

  private void createThings(List<String> ids) {
    List<String> words = new ArrayList<>(ids);
    Collections.shuffle(words, new Random(7));
    schema.execute(
        "drop table if exists things",
        "create table things (id varchar(20) primary key, word varchar(20) not null unique)",
        IntStream.range(0, ids.size())
            .mapToObj(i -> "('" + ids.get(i) + "', '" + words.get(i) + "')")
            .collect(Collectors.joining(",", "insert into things values ", "")));
  }

  void assertInOrder(Lock lock) {
    int middle = keys.size() / 2;
    List<String> fromLastToFirst = new ArrayList<>(keys);
    Collections.reverse(fromLastToFirst);
    CountDownLatch isHeld = new CountDownLatch(1);
    ConcurrentActors.run(
            List.of(
                () ->
                    transactions.call(
                        tx -> {
                          isHeld.await(30, SECONDS);
                          lock.lock(tx, fromLastToFirst);
                          return true;
                        }),
                () ->
                    transactions.call(
                        tx -> {
                          RowLocksTwins.write(tx.connection(), touch(keys.get(middle)));
                          isHeld.countDown();
                          assertLockedUpTo(middle);
                          return true;
                        })))
        .resultsOrThrow();
  }

  private void assertLockedUpTo(int middle) {
    List<String> neighbours = List.of(keys.get(middle - 1), keys.get(middle + 1));
    while (free(neighbours).size() == 2) {
      Thread.onSpinWait();
    }
    assertThat(free(keys))
        .as("rows that are free")
        .containsExactlyElementsOf(keys.subList(middle + 1, keys.size()));
  }

  /** An update that changes nothing, to hold a row without the help of what is tested. */
  private String touch(String key) {
    return "update things set word = word where " + column + " = '" + key + "'";
  }

  private List<String> free(List<String> among) {
    return schema
        .query(
            "select %s from things where %s in ('%s') order by %s for update skip locked"
                .formatted(column, column, String.join("','", among), column))
        .stream()
        .map(row -> String.valueOf(row.get(column)))
        .toList();
  }
}
