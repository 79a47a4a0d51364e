package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventId;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How attempts and secrets are kept, on a real database. */
@Timeout(60)
abstract class AttemptsTests {
  private static final EventId UNKNOWN = new EventId(0, 999);

  private final TestDatabase database;
  private TestSchema schema;
  private Holdfast holdfast;
  private Attempts store;

  AttemptsTests(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void begin() {
    schema = database.newSchema();
    holdfast = Holdfast.create(schema.dataSource());
    holdfast.migrations().migrate();
    store = Attempts.of(holdfast, null);
  }

  @AfterEach
  void end() {
    schema.close();
  }

  private static AttemptLog.Entry attempt(EventId event, int version) {
    return new AttemptLog.Entry(
        event,
        version,
        version,
        System.nanoTime(),
        Duration.ofMillis(120),
        OptionalInt.of(503),
        AttemptOutcome.RETRY,
        Optional.of("the target responded with 503"),
        "busy \0 " + "x".repeat(20_000),
        Optional.of("127.0.0.1"));
  }

  private List<AttemptRecord> of(EventId event) {
    return Attempts.of(holdfast, null).of(event);
  }

  @Test
  void listsNewestHundredInOrder() {
    store.insert("blue", IntStream.rangeClosed(1, 130).mapToObj(i -> attempt(UNKNOWN, i)).toList());

    List<AttemptRecord> listed = of(UNKNOWN);
    assertThat(listed).hasSize(100);
    assertThat(listed).extracting(AttemptRecord::number).isSorted().startsWith(31).endsWith(130);
    assertThat(listed.get(0).duration()).isEqualTo(Duration.ofMillis(120));
    assertThat(of(new EventId(0, 1))).isEmpty();
  }

  @Test
  void insertIgnoresExistingAttempts() {
    store.insert("blue", List.of(attempt(UNKNOWN, 1)));

    assertThat(store.insert("blue", List.of(attempt(UNKNOWN, 1), attempt(UNKNOWN, 2)))).isZero();
    assertThat(of(UNKNOWN)).hasSize(2);
  }

  @Test
  void deletesAttemptsAfterTheirEvent() {
    EventId known =
        holdfast.events().schedule(WebhookCall.TYPE.event(Deliveries.task("http://x.test"))).id();
    store.insert("blue", List.of(attempt(UNKNOWN, 1), attempt(UNKNOWN, 2), attempt(known, 1)));

    assertThat(store.deleteExpired(0, Duration.ofHours(1))).isFalse();
    assertThat(of(UNKNOWN)).hasSize(2);
    assertThat(store.deleteExpired(0, Duration.ZERO)).isFalse();
    assertThat(of(UNKNOWN)).isEmpty();
    assertThat(of(known)).hasSize(1);
  }

  @Test
  void closeWritesQueuedAttempts() {
    try (AttemptLog writer = new AttemptLog(store, "blue", 1, Duration.ofDays(7)).start()) {
      IntStream.rangeClosed(1, 1200).forEach(i -> writer.add(attempt(UNKNOWN, i)));
    }
    assertThat(schema.count("select count(*) from holdfast_webhook_attempt")).isEqualTo(1200);
  }

  @Test
  void writesAgainAfterDatabaseFailure() {
    try (AttemptLog writer = new AttemptLog(store, "blue", 1, Duration.ofDays(7)).start()) {
      schema.execute("alter table holdfast_webhook_attempt rename to holdfast_away");
      writer.add(attempt(UNKNOWN, 1));
      await().until(() -> writer.dropped() == 1);
      schema.execute("alter table holdfast_away rename to holdfast_webhook_attempt");
      writer.add(attempt(UNKNOWN, 2));
      await().until(() -> of(UNKNOWN).size() == 1);
    }
  }

  @Test
  void dropsAttemptsIfQueueIsFull() {
    AttemptLog stopped = new AttemptLog(store, "blue", 1, Duration.ofDays(7));
    AttemptLog.Entry one = attempt(UNKNOWN, 1);
    for (int i = 0; i < 20_005; i++) {
      stopped.add(one);
    }
    assertThat(stopped.dropped()).isEqualTo(5);
  }

  @Test
  void concurrentInstancesCreateOneSecretAndId() {
    List<String> marks =
        IntStream.range(0, 8)
            .parallel()
            .mapToObj(
                i -> {
                  try (SigningSecrets secrets = SigningSecrets.open(holdfast, null)) {
                    return secrets.list().get(0).secret().reveal()
                        + DatabaseId.of(WebhookTables.of(holdfast, null));
                  }
                })
            .distinct()
            .toList();
    assertThat(marks).hasSize(1);
    assertThat(schema.count("select count(*) from holdfast_signing_secret")).isEqualTo(1);
  }

  @Test
  void keepsLastSecretOnConcurrentDelete() {
    for (int round = 0; round < 10; round++) {
      try (SigningSecrets secrets = SigningSecrets.open(holdfast, null)) {
        secrets.create();
        List<String> ids = secrets.list().stream().map(SigningSecretRecord::id).toList();
        assertThat(ids).hasSize(2);
        assertThat(ids.parallelStream().map(secrets::delete).toList())
            .containsExactlyInAnyOrder(
                SigningSecrets.DeleteResult.DELETED, SigningSecrets.DeleteResult.LAST);
      }
    }
  }
}
