package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.Actors;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What many who send the same at once are answered. */
public abstract class OnceRaceContract extends OnceTests {
  private static final int MANY = 64;

  protected OnceRaceContract(TestDatabase database) {
    super(database);
  }

  @Test
  void oneOfManyTakesEffectAndAllAreAnsweredTheSame() {
    for (int round = 0; round < 5; round++) {
      IdempotencyKey key = IdempotencyKey.of("race", "r" + round);
      List<OnceResult<String>> told =
          Actors.run(
                  MANY,
                  index -> idempotency.once(key, PAYLOAD, ReplyCodecs.text(), ordering("apple")))
              .resultsOrThrow();

      assertThat(told).hasSize(MANY);
      assertThat(told).filteredOn(result -> result instanceof OnceResult.Executed).hasSize(1);
      assertThat(told).extracting(OnceResult::orThrow).containsOnly(told.get(0).orThrow());
      assertThat(orders()).isEqualTo(round + 1);
    }
  }

  @Test
  void oneOfManyThatDoNotWaitTakesEffectAndTheOthersAreTold() throws Exception {
    Idempotency impatient = idempotency.waiting(Duration.ZERO);
    try (AtWork<OnceResult<String>> first =
        AtWork.held(
            work ->
                impatient.once(KEY, PAYLOAD, ReplyCodecs.text(), tx -> work.order(tx, "apple")))) {
      List<OnceResult<String>> told =
          Actors.run(MANY - 1, index -> impatient.once(KEY, PAYLOAD, ReplyCodecs.text(), never()))
              .resultsOrThrow();
      assertThat(told).hasOnlyElementsOfType(OnceResult.InProgress.class);
      String answer = executed(first.end());

      assertThat(
              Actors.run(MANY, index -> impatient.once(KEY, PAYLOAD, ReplyCodecs.text(), never()))
                  .resultsOrThrow())
          .extracting(OnceResult::orThrow)
          .containsOnly(answer);
    }
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void whereTheFirstRollsBackExactlyOneOfTheOthersTakesItsPlace() throws Exception {
    for (int round = 0; round < 5; round++) {
      IdempotencyKey key = IdempotencyKey.of("rolled back", "r" + round);
      try (AtWork<OnceResult<String>> first =
              AtWork.held(
                  work ->
                      idempotency.once(
                          key, PAYLOAD, ReplyCodecs.text(), tx -> work.order(tx, "apple")));
          AtWork<List<OnceResult<String>>> others =
              AtWork.waiting(
                  () ->
                      Actors.run(
                              12,
                              index ->
                                  idempotency.once(
                                      key, PAYLOAD, ReplyCodecs.text(), ordering("apple")))
                          .resultsOrThrow())) {
        first.fail();
        List<OnceResult<String>> told = others.end();
        assertThat(told).filteredOn(result -> result instanceof OnceResult.Executed).hasSize(1);
        assertThat(told).extracting(OnceResult::orThrow).containsOnly(told.get(0).orThrow());
      }
      assertThat(orders()).isEqualTo(round + 1);
    }
  }

  @Test
  void whereMostFailExactlyOneTakesEffect() {
    AtomicInteger runs = new AtomicInteger();
    var outcomes =
        Actors.run(
            24,
            index ->
                idempotency.once(
                    KEY,
                    PAYLOAD,
                    ReplyCodecs.text(),
                    tx -> {
                      String answer = order(tx, "apple");
                      if (runs.incrementAndGet() < 10) {
                        throw new AtWork.ChangedItsMind();
                      }
                      return answer;
                    }));

    assertThat(outcomes.failures()).hasSize(9);
    assertThat(outcomes.failures()).hasOnlyElementsOfType(AtWork.ChangedItsMind.class);
    assertThat(outcomes.results())
        .filteredOn(result -> result instanceof OnceResult.Executed)
        .hasSize(1);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void aStormOfKeysAndDuplicatesLosesNothingAndDoublesNothing() {
    int keys = 100;
    List<List<String>> answers =
        Actors.run(
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
                                    .once(key, PAYLOAD, ReplyCodecs.text(), ordering("k" + i))
                                    .orThrow();
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
      idempotency.once(
          key,
          PAYLOAD,
          ReplyCodecs.text(),
          tx -> {
            order(tx, "never");
            throw new AtWork.ChangedItsMind();
          });
    } catch (AtWork.ChangedItsMind expected) {
      assertThat(expected).isNotNull();
    }
  }
}
