package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What many who send the same at once are answered. */
public abstract class IdempotencyRaceContract extends IdempotentExecutionTests {
  private static final int MANY = 64;

  protected IdempotencyRaceContract(TestDatabase database) {
    super(database);
  }

  @Test
  void oneOfConcurrentDuplicatesExecutes() {
    for (int round = 0; round < 5; round++) {
      IdempotencyKey key = IdempotencyKey.of("race", "r" + round);
      List<IdempotencyResult<String>> told =
          ConcurrentActors.run(
                  MANY,
                  index ->
                      idempotency.execute(
                          IdempotencyRequest.of(key, ReplyCodecs.text()).fingerprint(PAYLOAD),
                          ordering("apple")))
              .resultsOrThrow();

      assertThat(told).hasSize(MANY);
      assertThat(told)
          .filteredOn(result -> result instanceof IdempotencyResult.Executed)
          .hasSize(1);
      assertThat(told)
          .extracting(IdempotencyResult::orElseThrow)
          .containsOnly(told.get(0).orElseThrow());
      assertThat(orders()).isEqualTo(round + 1);
    }
  }

  @Test
  void oneOfConcurrentRequestsExecutes() throws Exception {
    Idempotency impatient = with(o -> o.waitTimeout(Duration.ZERO));
    try (InProgressRequest<IdempotencyResult<String>> first =
        InProgressRequest.held(
            work ->
                impatient.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> work.order(tx, "apple")))) {
      List<IdempotencyResult<String>> told =
          ConcurrentActors.run(
                  MANY - 1,
                  index ->
                      impatient.execute(
                          IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                          never()))
              .resultsOrThrow();
      assertThat(told).hasOnlyElementsOfType(IdempotencyResult.InProgress.class);
      String answer = executed(first.end());

      assertThat(
              ConcurrentActors.run(
                      MANY,
                      index ->
                          impatient.execute(
                              IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                              never()))
                  .resultsOrThrow())
          .extracting(IdempotencyResult::orElseThrow)
          .containsOnly(answer);
    }
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void nextRequestExecutesAfterRollback() throws Exception {
    for (int round = 0; round < 5; round++) {
      IdempotencyKey key = IdempotencyKey.of("rolled back", "r" + round);
      try (InProgressRequest<IdempotencyResult<String>> first =
              InProgressRequest.held(
                  work ->
                      idempotency.execute(
                          IdempotencyRequest.of(key, ReplyCodecs.text()).fingerprint(PAYLOAD),
                          tx -> work.order(tx, "apple")));
          InProgressRequest<List<IdempotencyResult<String>>> others =
              InProgressRequest.waiting(
                  () ->
                      ConcurrentActors.run(
                              12,
                              index ->
                                  idempotency.execute(
                                      IdempotencyRequest.of(key, ReplyCodecs.text())
                                          .fingerprint(PAYLOAD),
                                      ordering("apple")))
                          .resultsOrThrow())) {
        first.fail();
        List<IdempotencyResult<String>> told = others.end();
        assertThat(told)
            .filteredOn(result -> result instanceof IdempotencyResult.Executed)
            .hasSize(1);
        assertThat(told)
            .extracting(IdempotencyResult::orElseThrow)
            .containsOnly(told.get(0).orElseThrow());
      }
      assertThat(orders()).isEqualTo(round + 1);
    }
  }

  @Test
  void whereMostFailExactlyOneTakesEffect() {
    AtomicInteger runs = new AtomicInteger();
    var outcomes =
        ConcurrentActors.run(
            24,
            index ->
                idempotency.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> {
                      String answer = order(tx, "apple");
                      if (runs.incrementAndGet() < 10) {
                        throw new InProgressRequest.ChangedItsMind();
                      }
                      return answer;
                    }));

    assertThat(outcomes.failures()).hasSize(9);
    assertThat(outcomes.failures()).hasOnlyElementsOfType(InProgressRequest.ChangedItsMind.class);
    assertThat(outcomes.results())
        .filteredOn(result -> result instanceof IdempotencyResult.Executed)
        .hasSize(1);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void stormLosesAndDuplicatesNothing() {
    int keys = 100;
    List<List<String>> answers =
        ConcurrentActors.run(
                Duration.ofMinutes(3),
                24,
                index -> {
                  Random random = new Random(index);
                  return IntStream.range(0, keys)
                      .map(i -> (i + index * 7) % keys)
                      .mapToObj(
                          i -> {
                            IdempotencyKey key = IdempotencyKey.of("storm", "k" + i);
                            if (random.nextInt(10) == 0) {
                              failing(key);
                            }
                            return i
                                + " "
                                + idempotency
                                    .execute(
                                        IdempotencyRequest.of(key, ReplyCodecs.text())
                                            .fingerprint(PAYLOAD),
                                        ordering("k" + i))
                                    .orElseThrow();
                          })
                      .sorted()
                      .toList();
                })
            .resultsOrThrow();

    assertThat(answers).containsOnly(answers.get(0));
    assertThat(orders()).isEqualTo(keys);
    assertThat(schema.count("select count(distinct item) from orders")).isEqualTo(keys);
    assertThat(records()).isEqualTo(keys);
  }

  private void failing(IdempotencyKey key) {
    try {
      idempotency.execute(
          IdempotencyRequest.of(key, ReplyCodecs.text()).fingerprint(PAYLOAD),
          tx -> {
            order(tx, "never");
            throw new InProgressRequest.ChangedItsMind();
          });
    } catch (InProgressRequest.ChangedItsMind expected) {
      assertThat(expected).isNotNull();
    }
  }
}
