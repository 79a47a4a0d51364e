package dev.holdfast.webhook;

import static dev.holdfast.webhook.Deliveries.AT_ONCE;
import static dev.holdfast.webhook.Deliveries.local;
import static dev.holdfast.webhook.Deliveries.settings;
import static dev.holdfast.webhook.Deliveries.task;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.client.WebhookVerifier;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.webhook.WebhookReceiver.Answer;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of an event that is a call, on a real database and with a real receiver. */
@Timeout(180)
abstract class DeliveryTests {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final WebhookCall.Retry LATE =
      new WebhookCall.Retry(5, HOUR.toMillis(), 1, HOUR.toMillis());

  /** Far more than is needed, for a machine that is busy with other things. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final TestDatabase database;
  private Deliveries deliveries;

  DeliveryTests(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void begin() {
    deliveries = new Deliveries(database);
  }

  @AfterEach
  void end() {
    deliveries.close();
  }

  @Test
  void retriesUnderSameIdUntilAccepted() {
    List<Integer> answers = List.of(500, 302, 404, 204);
    try (WebhookReceiver receiver =
        WebhookReceiver.doing((request, number) -> Answer.of(answers.get(number - 1)))) {
      deliveries.start();
      EventId id = deliveries.schedule(task(receiver.url()));

      EventRecord event = deliveries.awaitStatus(id, EventStatus.COMPLETED);
      assertThat(event.attempts()).isEqualTo(4);
      List<WebhookReceiver.Request> requests = receiver.requests();
      assertThat(requests).extracting(WebhookReceiver.Request::id).hasSize(4);
      assertThat(requests.stream().map(WebhookReceiver.Request::id).distinct()).hasSize(1);
      assertThat(requests.get(0).id()).matches("evt_[0-9a-z]{8}_" + id);
      assertThat(requests)
          .extracting(request -> request.header("holdfast-attempt"))
          .containsExactly("1", "2", "3", "4");
      assertThat(requests)
          .extracting(request -> Integer.parseInt(request.header("holdfast-fencing-token")))
          .isSorted()
          .doesNotHaveDuplicates();
      assertThat(requests)
          .extracting(request -> new String(request.body(), UTF_8))
          .containsOnly("hello");
      assertThat(deliveries.awaitAttempts(id, 4))
          .extracting(AttemptRecord::number, AttemptRecord::status, AttemptRecord::outcome)
          .containsExactly(
              tuple(1, 500, AttemptOutcome.RETRY),
              tuple(2, 302, AttemptOutcome.RETRY),
              tuple(3, 404, AttemptOutcome.RETRY),
              tuple(4, 204, AttemptOutcome.COMPLETED));
    }
  }

  @Test
  void anEventFailsWhenItsAttemptsAreUsedUp() {
    try (WebhookReceiver receiver = WebhookReceiver.answering(500)) {
      deliveries.start();
      EventId id = deliveries.schedule(task(receiver.url(), new WebhookCall.Retry(2, 1, 1, 1)));

      EventRecord event = deliveries.awaitStatus(id, EventStatus.FAILED);
      assertThat(event.error()).isEqualTo("the target responded with 500");
      assertThat(receiver.requests()).hasSize(2);
      assertThat(deliveries.awaitAttempts(id, 2).get(1).outcome()).isEqualTo(AttemptOutcome.FAILED);
    }
  }

  @Test
  void noNumberOfCrashesEndsIt() {
    try (WebhookReceiver receiver = WebhookReceiver.answering(204)) {
      EventId id = deliveries.schedule(task(receiver.url()));
      deliveries.schema.execute(
          "insert into holdfast_instance (id, name, started_at, expires_at, stopped) values (999,"
              + " 'dead', timestamp '2020-01-01 00:00:00', timestamp '2020-01-01 00:00:00', false)",
          "update holdfast_event set status = 1, version = 2, begun = 2, attempts = 1, owner = 999,"
              + " crashes = 7");
      deliveries.start();

      assertThat(deliveries.awaitStatus(id, EventStatus.COMPLETED).crashes()).isEqualTo(8);
      assertThat(receiver.requests()).hasSize(1);
    }
  }

  @Test
  void aTargetThatIsGoneEndsIt() {
    try (WebhookReceiver receiver = WebhookReceiver.answering(410)) {
      deliveries.start();
      EventId id = deliveries.schedule(task(receiver.url()));

      assertThat(deliveries.awaitStatus(id, EventStatus.FAILED).error()).contains("410");
      assertThat(receiver.requests()).hasSize(1);
    }
  }

  @Test
  void honorsRetryAfterWithinLimit() {
    try (WebhookReceiver receiver =
        WebhookReceiver.doing(
            (request, number) ->
                new Answer(
                    503,
                    Map.of("Retry-After", request.path().endsWith("long") ? "99999999" : "3600"),
                    ""))) {
      deliveries.start(settings(local().maxRetryAfter(HOUR.multipliedBy(2)), circuits(), 100));
      EventId hour = deliveries.schedule(task(receiver.url()));
      EventId longer = deliveries.schedule(task(receiver.url() + "/long"));

      for (EventId id : List.of(hour, longer)) {
        EventRecord event = deliveries.awaitRetry(id);
        AttemptRecord attempt = deliveries.awaitAttempts(id, 1).get(0);
        Duration pause = Duration.between(attempt.at(), event.dueAt());
        Duration asked = id.equals(hour) ? HOUR : HOUR.multipliedBy(2);
        assertThat(pause).isBetween(asked.minusSeconds(1), asked.plusMinutes(10));
      }
    }
  }

  @Test
  void sparesFailingTargetWithoutAttempt() {
    try (WebhookReceiver receiver =
        WebhookReceiver.doing((request, number) -> Answer.of(number <= 3 ? 500 : 200))) {
      TargetGateOptions three =
          circuits().failureThreshold(3).openTime(Duration.ofSeconds(3), Duration.ofSeconds(3));
      Deliveries.Instance instance = deliveries.start(settings(local(), three, 100));
      for (int i = 0; i < 3; i++) {
        deliveries.awaitRetry(deliveries.schedule(task(receiver.url(), LATE)));
      }
      assertThat(instance.delivery().openCircuits()).isEqualTo(1);

      EventId waiting = deliveries.schedule(task(receiver.url(), LATE));
      await().until(() -> instance.delivery().deferred() > 0);
      assertThat(receiver.requests()).hasSize(3);
      EventRecord event = deliveries.awaitStatus(waiting, EventStatus.COMPLETED);
      assertThat(event.attempts()).isEqualTo(1);
      assertThat(receiver.requests().get(3).header("holdfast-attempt")).isEqualTo("1");
      await().until(() -> instance.delivery().openCircuits() == 0);
    }
  }

  @Test
  void slowTargetsDoNotHoldUpTheOthers() {
    CountDownLatch release = new CountDownLatch(1);
    try (WebhookReceiver slow =
            WebhookReceiver.doing(
                (request, number) -> {
                  release.await();
                  return Answer.of(200);
                });
        WebhookReceiver fast = WebhookReceiver.answering(200)) {
      Deliveries.Instance instance = deliveries.start(settings(local(), circuits(), 40));
      deliveries
          .holdfast
          .events()
          .scheduleAll(
              IntStream.range(0, 400)
                  .mapToObj(i -> task(slow.url("slow-" + i % 20 + ".test"), LATE))
                  .map(WebhookCall.TYPE::event)
                  .toList());
      await().until(() -> instance.delivery().inFlight() >= 20);

      for (int i = 0; i < 20; i++) {
        deliveries.awaitStatus(deliveries.schedule(task(fast.url())), EventStatus.COMPLETED);
      }
      assertThat(slow.requests().stream().map(request -> request.header("host")).distinct())
          .hasSize(20);
    } finally {
      release.countDown();
    }
  }

  /** They wait in its line: to put each off would be a write to the database for each. */
  @Test
  void aBacklogOfOneTargetIsNotPutOff() {
    try (WebhookReceiver receiver = WebhookReceiver.answering(200)) {
      Deliveries.Instance instance =
          deliveries.start(settings(local(), circuits().maxConcurrency(4), 1000));
      int backlog = 240;
      deliveries
          .holdfast
          .events()
          .scheduleAll(Collections.nCopies(backlog, WebhookCall.TYPE.event(task(receiver.url()))));
      await().until(() -> receiver.requests().size() == backlog);
      assertThat(instance.delivery().deferred()).isLessThan(backlog / 4);
    }
  }

  @Test
  void rejectedAddressFailsAtOnce() {
    try (WebhookReceiver receiver = WebhookReceiver.answering(200)) {
      deliveries.start(settings(SenderOptions.ofDefaults(), circuits(), 100));
      EventId id = deliveries.schedule(task(receiver.url()));

      assertThat(deliveries.awaitStatus(id, EventStatus.FAILED).error())
          .startsWith("rejected by the address guard: 127.0.0.1 is a loopback address")
          .contains("--allow");
      assertThat(receiver.requests()).isEmpty();
    }
  }

  @Test
  void aNameThatDoesNotResolveIsTriedAgain() {
    deliveries.start(
        settings(
            local()
                .resolver(
                    name -> {
                      throw new UnknownHostException(name);
                    }),
            circuits(),
            100));
    EventId id = deliveries.schedule(task("http://nowhere.test/", LATE));

    EventRecord event = deliveries.awaitRetry(id);
    assertThat(event.status()).isEqualTo(EventStatus.PENDING);
    assertThat(event.error()).contains("nowhere.test");
    AttemptRecord attempt = deliveries.awaitAttempts(id, 1).get(0);
    assertThat(attempt.status()).isNull();
    assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.RETRY);
  }

  @Test
  void aStoredCallThatMayNotBeMadeFails() {
    deliveries.start();
    EventId id = deliveries.schedule(task("ftp://example.com/"));
    assertThat(deliveries.awaitStatus(id, EventStatus.FAILED).error()).contains("scheme");
  }

  @Test
  void verifiesWithBothSecretsDuringRotation() throws Exception {
    try (WebhookReceiver receiver = WebhookReceiver.answering(200)) {
      Deliveries.Instance one = deliveries.start();
      SigningSecretRecord old = one.secrets().list().get(0);
      SigningSecretRecord fresh;
      // by another server
      try (SigningSecrets other = SigningSecrets.open(deliveries.holdfast, null)) {
        fresh = other.create();
        await().until(() -> one.secrets().signer().toString().contains("2 secrets"));
        deliveries.awaitStatus(deliveries.schedule(task(receiver.url())), EventStatus.COMPLETED);
        assertThat(other.delete(old.id())).isEqualTo(SigningSecrets.DeleteResult.DELETED);
      }
      WebhookReceiver.Request request = receiver.requests().get(0);
      for (SigningSecretRecord secret : List.of(old, fresh)) {
        assertThat(
                WebhookVerifier.of(secret.secret()).verify(request.headers(), request.body()).id())
            .isEqualTo(request.id());
      }
    }
  }

  @Test
  void secretsAreHiddenInWhatIsKept() {
    try (WebhookReceiver receiver =
        WebhookReceiver.doing(
            (request, number) ->
                new Answer(
                    500, Map.of(), "I got " + request.header("authorization") + request.path()))) {
      deliveries.start();
      EventId id =
          deliveries.schedule(
              task(
                  receiver.url() + "?token=querysecret",
                  LATE,
                  new WebhookHeader("Authorization", "Bearer headersecret")));

      deliveries.awaitRetry(id);
      AttemptRecord attempt = deliveries.awaitAttempts(id, 1).get(0);
      assertThat(attempt.excerpt()).startsWith("I got ").contains("[redacted]");
      assertThat(attempt.toString()).doesNotContain("headersecret").doesNotContain("querysecret");
      assertThat(attempt.instance()).isEqualTo("blue");
      assertThat(attempt.address()).isEqualTo("127.0.0.1");
      assertThat(deliveries.find(id).error()).doesNotContain("secret");
    }
  }

  @Test
  void cancelDropsRunningCall() {
    CountDownLatch release = new CountDownLatch(1);
    try (WebhookReceiver receiver =
        WebhookReceiver.doing(
            (request, number) -> {
              release.await();
              return Answer.of(200);
            })) {
      Deliveries.Instance instance = deliveries.start();
      EventId id = deliveries.schedule(task(receiver.url(), AT_ONCE));
      await().until(() -> receiver.requests().size() == 1);

      var unused =
          deliveries.holdfast.events().requestCancellation(id, deliveries.find(id).version());
      deliveries.awaitStatus(id, EventStatus.CANCELLED);
      await().until(() -> instance.delivery().inFlight() == 0);
      assertThat(deliveries.awaitAttempts(id, 1).get(0).outcome())
          .isEqualTo(AttemptOutcome.CANCELLED);
    } finally {
      release.countDown();
    }
  }

  @Test
  void otherInstanceDeliversUnderSameId() {
    CountDownLatch release = new CountDownLatch(1);
    try (WebhookReceiver receiver =
        WebhookReceiver.doing(
            (request, number) -> {
              if (number == 1) {
                release.await();
              }
              return Answer.of(200);
            })) {
      deliveries.start();
      EventId id = deliveries.schedule(task(receiver.url()));
      await().until(() -> receiver.requests().size() == 1);

      // as if it had not been heard of for long
      deliveries.schema.execute(
          "update holdfast_instance set expires_at = timestamp '2020-01-01 00:00:00'");
      deliveries.start(worker -> worker.leaseDuration(Duration.ofSeconds(1)));
      deliveries.awaitStatus(id, EventStatus.COMPLETED);
      assertThat(receiver.requests()).hasSize(2);
      WebhookReceiver.Request first = receiver.requests().get(0);
      WebhookReceiver.Request second = receiver.requests().get(1);
      assertThat(second.id()).isEqualTo(first.id());
      assertThat(second.header("holdfast-attempt")).isEqualTo("2");
      assertThat(Integer.parseInt(second.header("holdfast-fencing-token")))
          .isGreaterThan(Integer.parseInt(first.header("holdfast-fencing-token")));
    } finally {
      release.countDown();
    }
  }

  private static TargetGateOptions circuits() {
    return TargetGateOptions.ofDefaults();
  }

  private static ConditionFactory await() {
    return Awaitility.await().atMost(LIMIT);
  }
}
