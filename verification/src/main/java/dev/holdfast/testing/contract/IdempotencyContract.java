package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.KeyReusedException;
import dev.holdfast.idempotency.ReplyCodec;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transactions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A request in a transaction of its own takes effect once, and is answered the same. */
public abstract class IdempotencyContract extends IdempotentExecutionTests {
  protected IdempotencyContract(TestDatabase database) {
    super(database);
  }

  @Test
  void sameKeyExecutesOnce() {
    String first = executed(once(idempotency));

    for (int again = 0; again < 3; again++) {
      assertThat(
              replayed(
                  idempotency.execute(
                      IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                      never())))
          .isEqualTo(first);
    }
    assertThat(orders()).isEqualTo(1);
    assertThat(records()).isEqualTo(1);
  }

  private record Point(int x, int y) {}

  @Test
  @SuppressWarnings("NullAway") // it takes the answer of nothing() for one that is never null
  void everyKindOfAnswerComesBackAsItWas() {
    byte[] mebibyte = new byte[1 << 20];
    new Random(7).nextBytes(mebibyte);
    assertComesBack("text", ReplyCodecs.text(), "naïve ☕ 😀 \u0000");
    assertComesBack("empty text", ReplyCodecs.text(), "");
    assertComesBack("number", ReplyCodecs.number(), Long.MIN_VALUE);
    assertComesBack("nothing", ReplyCodecs.nothing(), null);
    assertComesBack("bytes", ReplyCodecs.bytes(), mebibyte);
    assertComesBack("no bytes", ReplyCodecs.bytes(), new byte[0]);
    assertComesBack(
        "of one's own",
        new ReplyCodec<@Nullable Point>() {
          @Override
          public byte[] write(@Nullable Point point) {
            return point == null ? new byte[0] : new byte[] {(byte) point.x, (byte) point.y};
          }

          @Override
          public @Nullable Point read(byte[] bytes) {
            return bytes.length == 0 ? null : new Point(bytes[0], bytes[1]);
          }
        },
        new Point(3, 4));
  }

  private <T extends @Nullable Object> void assertComesBack(
      String name, ReplyCodec<T> codec, T answer) {
    IdempotencyKey key = IdempotencyKey.of("answers", name);
    IdempotencyResult<T> executed =
        idempotency.<T, RuntimeException>execute(
            IdempotencyRequest.of(key, codec).fingerprint(PAYLOAD), tx -> answer);
    IdempotencyResult<T> replayed =
        idempotency.<T, RuntimeException>execute(
            IdempotencyRequest.of(key, codec).fingerprint(PAYLOAD), tx -> answer);

    assertThat(executed).as(name).isInstanceOf(IdempotencyResult.Executed.class);
    assertThat(replayed).as(name).isInstanceOf(IdempotencyResult.Replayed.class);
    assertThat((Object) executed.orElseThrow()).as(name).isEqualTo(answer);
    assertThat((Object) replayed.orElseThrow()).as(name).isEqualTo(answer);
  }

  @Test
  void rejectsOtherPayload() {
    once(idempotency);

    IdempotencyResult<String> other =
        idempotency.execute(
            IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(OTHER_PAYLOAD), never());

    assertThat(other).isInstanceOf(IdempotencyResult.KeyReused.class);
    assertThatThrownBy(other::orElseThrow).isInstanceOf(KeyReusedException.class);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void failureIsRethrownAndLeavesNothing() {
    for (Throwable failure :
        List.of(
            new IllegalStateException("unchecked"),
            new IOException("checked"),
            new InterruptedException("checked"),
            new StackOverflowError("an error"))) {
      assertThatThrownBy(
              () ->
                  idempotency.<String, Exception>execute(
                      IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                      tx -> {
                        order(tx, "apple");
                        if (failure instanceof Error error) {
                          throw error;
                        }
                        throw (Exception) failure;
                      }))
          .isSameAs(failure);
      assertThat(orders()).isZero();
      assertThat(records()).isZero();
      assertThat(idempotency.find(KEY)).isEmpty();
    }
    executed(once(with(o -> o.waitTimeout(Duration.ZERO))));
  }

  @Test
  void doesNotReplayToOtherPrincipal() {
    List<IdempotencyKey> keys =
        List.of(
            KEY,
            KEY.principal("ana"),
            KEY.principal("Ana"),
            KEY.tenant("ana"),
            KEY.tenant("acme").principal("ana"),
            KEY.tenant("ac").principal("meana"),
            new IdempotencyKey("", "", "DELETE /orders", KEY.key()),
            new IdempotencyKey("", "POST /orders", "k-1", "x"),
            new IdempotencyKey("POST /orders", "", "k-1", "x"));

    List<String> answers =
        keys.stream()
            .map(
                key ->
                    idempotency.execute(
                        IdempotencyRequest.of(key, ReplyCodecs.text()).fingerprint(PAYLOAD),
                        ordering("apple")))
            .map(IdempotentExecutionTests::executed)
            .toList();

    assertThat(answers).doesNotHaveDuplicates();
    assertThat(keys)
        .extracting(
            key ->
                idempotency
                    .execute(
                        IdempotencyRequest.of(key, ReplyCodecs.text()).fingerprint(PAYLOAD),
                        never())
                    .orElseThrow())
        .isEqualTo(answers);
  }

  @Test
  void keysThatLookAlikeAreDifferent() {
    List<String> names =
        List.of(
            "k",
            "K",
            "k ",
            " k",
            "k  ",
            "ḱ",
            "k\u0301",
            "é",
            "e\u0301",
            "e",
            "ss",
            "ß",
            "ı",
            "i",
            "😀",
            "😁",
            "\uFF4B",
            "k\u200B",
            "0",
            "00",
            "a".repeat(254),
            "a".repeat(255));

    for (String name : names) {
      executed(
          idempotency.execute(
              IdempotencyRequest.of(IdempotencyKey.of("alike", name), ReplyCodecs.text())
                  .fingerprint(PAYLOAD),
              ordering("apple")));
    }

    assertThat(orders()).isEqualTo(names.size());
    for (String name : names) {
      assertThat(idempotency.find(IdempotencyKey.of("alike", name)))
          .get()
          .extracting(record -> record.key().key())
          .isEqualTo(name);
    }
  }

  @Test
  void recordShowsResultAndTimes() {
    IdempotencyKey key = new IdempotencyKey("acme", "ana", "POST /orders", "k-😀");
    String answer =
        idempotency
            .execute(
                IdempotencyRequest.of(key, ReplyCodecs.text()).fingerprint(PAYLOAD), ordering("a"))
            .orElseThrow();

    IdempotencyRecord record = idempotency.find(key).orElseThrow();

    assertThat(record.key()).isEqualTo(key);
    assertThat(record.fingerprint()).isEqualTo(PAYLOAD);
    assertThat(record.status()).isEqualTo(IdempotencyRecord.Status.COMPLETED);
    assertThat(record.attempts()).isEqualTo(1);
    assertThat(record.workflow()).isEmpty();
    assertThat(record.steps()).isEmpty();
    assertThat(record.result().orElseThrow())
        .isEqualTo(
            new StoredResult(StoredResult.Kind.RESULT, answer.getBytes(StandardCharsets.UTF_8)));
    assertThat(Duration.between(record.startedAt(), record.expiresAt()))
        .isEqualTo(Duration.ofDays(1));
    long millis = System.currentTimeMillis();
    assertThat(record.startedAt().toEpochMilli()).isBetween(millis - 600_000, millis + 600_000);
  }

  @Test
  void recordAndRowsBecomeVisibleTogether() {
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger looks = new AtomicInteger();
    Callable<Void> writer =
        () -> {
          try {
            for (int i = 0; i < 100 || looks.get() < 10; i++) {
              IdempotencyKey key = IdempotencyKey.of("o", "k" + i);
              idempotency.execute(
                  IdempotencyRequest.of(key, ReplyCodecs.text()).fingerprint(PAYLOAD),
                  ordering("apple"));
            }
            return null;
          } finally {
            over.set(true);
          }
        };
    Callable<Void> reader =
        () -> {
          while (!over.get()) {
            var seen =
                schema
                    .query(
                        "select (select count(*) from orders) as o, (select count(*) from"
                            + " holdfast_idempotency where completed) as d, (select count(*) from"
                            + " holdfast_idempotency) as r")
                    .get(0);
            assertThat(new HashSet<>(seen.values())).as("%s", seen).hasSize(1);
            looks.incrementAndGet();
          }
          return null;
        };

    ConcurrentActors.run(List.of(writer, reader)).resultsOrThrow();
  }

  @Test
  void otherKeysInsideTheWorkOfOneCommitWithIt() {
    IdempotencyKey inner = IdempotencyKey.of("inner", "1");
    assertThatThrownBy(
            () ->
                idempotency.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> {
                      idempotency.execute(
                          tx,
                          IdempotencyRequest.of(inner, ReplyCodecs.text()).fingerprint(PAYLOAD),
                          ordering("a"));
                      throw new InProgressRequest.ChangedItsMind();
                    }))
        .isInstanceOf(InProgressRequest.ChangedItsMind.class);
    assertThat(records()).isZero();

    idempotency.execute(
        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
        tx ->
            idempotency
                .execute(
                    tx,
                    IdempotencyRequest.of(inner, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    ordering("a"))
                .orElseThrow());
    assertThat(records()).isEqualTo(2);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void transactionsOfOnesOwnAreUsed() throws SQLException {
    Transactions strict = transactions.lockTimeout(Duration.ofSeconds(7));
    ServerProbe server = ServerProbe.of(database());

    String seen =
        with(strict)
            .<String, SQLException>execute(
                IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                tx -> Sql.ask(tx.connection(), server.lockTimeout))
            .orElseThrow();

    assertThat(seen).isIn("7s", "7", "7000");
  }
}
