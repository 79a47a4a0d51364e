package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.BackgroundService;
import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** How long a key is remembered, and how it is forgotten. */
public abstract class IdempotencyCleanupContract extends IdempotentExecutionTests {
  protected IdempotencyCleanupContract(TestDatabase database) {
    super(database);
  }

  private static IdempotencyKey key(int i) {
    return IdempotencyKey.of("clean", "k" + i);
  }

  private void order(Idempotency idempotency, int first, int count) {
    for (int i = first; i < first + count; i++) {
      idempotency.execute(
          IdempotencyRequest.of(key(i), ReplyCodecs.text()).fingerprint(PAYLOAD),
          ordering("apple"));
    }
  }

  /** Waits until nobody is answered by the record of the key any more. */
  private void awaitExpiry(IdempotencyKey key) {
    await("the record must expire", () -> idempotency.find(key).isEmpty());
  }

  /** Makes all records old, as time does. */
  private void age() {
    String yesterday =
        switch (database().name()) {
          case "PostgreSQL" -> "now() - interval '1 day'";
          case "H2" -> "dateadd(day, -1, current_timestamp)";
          default -> "utc_timestamp(6) - interval 1 day";
        };
    schema.execute("update holdfast_idempotency set expires_at = " + yesterday);
  }

  @Test
  void expiredKeyIsNew() {
    Idempotency forgetful = with(o -> o.retention(SHORT));
    String first = executed(once(forgetful));
    awaitExpiry(KEY);

    String second = executed(once(idempotency));

    assertThat(second).isNotEqualTo(first);
    assertThat(replayed(once(idempotency))).isEqualTo(second);
    assertThat(orders()).isEqualTo(2);
    assertThat(records()).isEqualTo(1);
  }

  @Test
  void expiredKeyIsNewWithOtherPayload() {
    once(idempotency);
    age();

    transactions.run(
        tx ->
            executed(
                idempotency.execute(
                    tx,
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(OTHER_PAYLOAD),
                    ordering("pear"))));

    assertThat(once(idempotency)).isInstanceOf(IdempotencyResult.KeyReused.class);
  }

  @Test
  void retentionStartsAfterWork() {
    assumeThat(database().name()).as("its clock stands still in a transaction").isNotEqualTo("H2");
    Idempotency forgetful = with(o -> o.retention(Duration.ofSeconds(2)));

    forgetful.execute(
        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
        tx -> {
          LockSupport.parkNanos(Duration.ofMillis(2100).toNanos());
          return order(tx, "apple");
        });

    // half of it at least after the answer
    String kept =
        switch (database().name()) {
          case "PostgreSQL" -> "expires_at >= started_at + interval '3 seconds'";
          default -> "expires_at >= started_at + interval 3 second";
        };
    assertThat(schema.count("select count(*) from holdfast_idempotency where " + kept))
        .isEqualTo(1);
  }

  @Test
  void replacingExpiredRecordDoesNotBlockOthers() throws Exception {
    once(idempotency);
    age();
    CountDownLatch working = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (InProgressRequest<IdempotencyResult<String>> first =
            InProgressRequest.held(
                work ->
                    idempotency.execute(
                        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                        tx -> work.order(tx, "apple")));
        InProgressRequest<IdempotencyResult<String>> second =
            InProgressRequest.waiting(
                () ->
                    idempotency.<String, InterruptedException>execute(
                        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                        tx -> {
                          working.countDown();
                          go.await();
                          return order(tx, "pear");
                        }))) {
      first.fail();
      working.await();

      assertThat(once(with(o -> o.waitTimeout(Duration.ZERO))))
          .isInstanceOf(IdempotencyResult.InProgress.class);

      go.countDown();
      executed(second.end());
    }
    assertThat(orders()).isEqualTo(2);
  }

  @Test
  void aRollbackLeavesTheOldRecordOver() {
    once(idempotency);
    age();

    assertThat(
            ConcurrentActors.run(
                    1,
                    index ->
                        transactions.call(
                            tx -> {
                              once(idempotency, tx);
                              throw new InProgressRequest.ChangedItsMind();
                            }))
                .failures())
        .hasOnlyElementsOfType(InProgressRequest.ChangedItsMind.class);
    executed(once(idempotency));
    assertThat(orders()).isEqualTo(2);
  }

  @Test
  void oneOfConcurrentExpiredKeyRequestsExecutes() {
    for (int round = 1; round <= 5; round++) {
      once(idempotency);
      age();
      long before = orders();

      List<IdempotencyResult<String>> told =
          ConcurrentActors.run(32, index -> once(idempotency)).resultsOrThrow();

      assertThat(told)
          .filteredOn(result -> result instanceof IdempotencyResult.Executed)
          .hasSize(1);
      assertThat(told)
          .extracting(IdempotencyResult::orElseThrow)
          .containsOnly(told.get(0).orElseThrow());
      assertThat(orders()).isEqualTo(before + 1);
    }
  }

  @Test
  void cleanupDeletesExpiredOnly() {
    order(idempotency, 0, 520);
    age();
    order(idempotency, 1000, 30);

    assertThat(idempotency.deleteExpired()).isEqualTo(520);

    assertThat(idempotency.deleteExpired()).isZero();
    assertThat(records()).isEqualTo(30);
    for (int i = 1000; i < 1030; i++) {
      replayed(
          idempotency.execute(
              IdempotencyRequest.of(key(i), ReplyCodecs.text()).fingerprint(PAYLOAD), never()));
    }
  }

  @Test
  void cleaningUpReachesAllShards() {
    Idempotency sharded =
        Holdfast.builder(schema.dataSource())
            .shards(5)
            .idempotency(IdempotencyOptions.builder().waitTimeout(LIMIT).build())
            .build()
            .idempotency();
    order(sharded, 0, 50);
    assertThat(schema.count("select count(distinct shard) from holdfast_idempotency")).isEqualTo(5);
    for (int i = 0; i < 50; i++) {
      replayed(
          sharded.execute(
              IdempotencyRequest.of(key(i), ReplyCodecs.text()).fingerprint(PAYLOAD), never()));
    }
    age();
    order(sharded, 1000, 10);

    assertThat(sharded.deleteExpired()).isEqualTo(50);
    assertThat(records()).isEqualTo(10);
  }

  @Test
  void cleanupSkipsRequestsInProgress() throws Exception {
    order(idempotency, 0, 3);
    age();
    Idempotency brief = with(o -> o.retention(Duration.ofMillis(1)));
    try (InProgressRequest<IdempotencyResult<String>> overALiveOne = held(idempotency, KEY);
        InProgressRequest<IdempotencyResult<String>> overAnOldOne = held(idempotency, key(1));
        InProgressRequest<IdempotencyResult<String>> longerThanItIsKept = held(brief, key(9));
        InProgressRequest<Integer> sweeper =
            InProgressRequest.held(
                self -> {
                  int removed = idempotency.deleteExpired();
                  self.stop();
                  return removed;
                })) {
      assertThat(sweeper.end()).isEqualTo(2);
      executed(overALiveOne.end());
      executed(overAnOldOne.end());
      executed(longerThanItIsKept.end());
    }
    replayed(once(idempotency));
    replayed(
        idempotency.execute(
            IdempotencyRequest.of(key(1), ReplyCodecs.text()).fingerprint(PAYLOAD), never()));
  }

  private static InProgressRequest<IdempotencyResult<String>> held(
      Idempotency idempotency, IdempotencyKey key) throws InterruptedException {
    return InProgressRequest.held(
        work ->
            idempotency.execute(
                IdempotencyRequest.of(key, ReplyCodecs.text()).fingerprint(PAYLOAD),
                tx -> work.order(tx, "apple")));
  }

  @Test
  void deleteSkipsRequestsInProgress() throws Exception {
    try (InProgressRequest<IdempotencyResult<String>> first = held(idempotency, KEY)) {
      assertThat(idempotency.delete(KEY)).isNotEqualTo(DeleteResult.DELETED);
      executed(first.end());
    }
    replayed(once(idempotency));

    assertThat(idempotency.delete(KEY)).isEqualTo(DeleteResult.DELETED);
    assertThat(idempotency.delete(KEY)).isEqualTo(DeleteResult.NOT_FOUND);
    assertThat(idempotency.find(KEY)).isEmpty();
    executed(once(idempotency));
    assertThat(orders()).isEqualTo(2);
  }

  @Test
  void cleaningUpEveryNowAndThen() throws Exception {
    order(with(o -> o.retention(SHORT)), 0, 5);
    once(idempotency);

    try (BackgroundService cleanUp = idempotency.cleaner(Duration.ofMillis(20))) {
      cleanUp.start();
      await("they must be removed", () -> records() == 1);
      order(with(o -> o.retention(SHORT)), 10, 5);
      await("they too", () -> records() == 1);
      assertThat(cleanUp).isNotNull();
    }
    replayed(once(idempotency));
  }

  @Test
  void cleanupDoesNotDisturbReplays() {
    AtomicBoolean over = new AtomicBoolean();
    Idempotency brief = with(o -> o.retention(Duration.ofMillis(40)));
    List<Callable<Integer>> actors = new ArrayList<>();
    String kept = once(idempotency).orElseThrow();
    for (int i = 0; i < 2; i++) {
      actors.add(
          () -> {
            int removed = 0;
            while (!over.get()) {
              removed += idempotency.deleteExpired();
            }
            return removed;
          });
    }
    actors.add(
        () -> {
          while (!over.get()) {
            assertThat(replayed(once(idempotency))).isEqualTo(kept);
          }
          return 0;
        });
    for (int i = 0; i < 6; i++) {
      int key = i % 2;
      actors.add(
          () -> {
            int executed = 0;
            try {
              for (int turn = 0; turn < 150; turn++) {
                IdempotencyResult<String> told =
                    brief.execute(
                        IdempotencyRequest.of(key(key), ReplyCodecs.text()).fingerprint(PAYLOAD),
                        ordering("k" + key));
                assertThat(told.orElseThrow()).startsWith("k" + key);
                executed += told instanceof IdempotencyResult.Executed ? 1 : 0;
              }
            } finally {
              over.set(true);
            }
            return executed;
          });
    }

    List<Integer> counts = ConcurrentActors.run(Duration.ofMinutes(2), actors).resultsOrThrow();

    int executed = counts.subList(3, counts.size()).stream().mapToInt(Integer::intValue).sum();
    assertThat(orders()).isEqualTo(1 + executed);
  }
}
