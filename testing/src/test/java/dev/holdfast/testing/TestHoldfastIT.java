package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Events;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TestHoldfastIT {
  private static final Instant NOON = Instant.parse("2026-03-29T12:00:00Z");
  private static final EventType<Mail> MAIL = EventType.of("mail", Mail.class);
  private static final EventType<byte[]> BLOB = EventType.of("blob", byte[].class);

  private final TestSchema schema = TestDatabase.h2().newSchema();
  private TestHoldfast test;
  private Events events;

  record Mail(String to) {}

  @SuppressWarnings("NullAway.Init")
  TestHoldfastIT() {}

  @BeforeEach
  void migrate() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    test = TestHoldfast.builder(schema.dataSource()).startTime(NOON).build();
    events = test.holdfast().events();
  }

  @AfterEach
  void dropSchema() {
    schema.close();
  }

  @Test
  void whatIsScheduledIsFoundByEverythingItHas() {
    events.schedule(
        MAIL.event(new Mail("ana"))
            .key("k")
            .queue("mails")
            .tags("a", "b")
            .at(NOON.plusNanos(1_000_999)));
    events.schedule(BLOB.event(new byte[] {1, 2}).delay(Duration.ofHours(1)));

    assertThat(
            test.assertScheduled(MAIL)
                .withKey("k")
                .withPayload(new Mail("ana"))
                .inQueue("mails")
                .withTag("b")
                .at(NOON.plusNanos(1_000_999))
                .once()
                .events())
        .extracting(EventRecord::key)
        .containsExactly("k");
    test.assertScheduled(BLOB).withPayload(new byte[] {1, 2}).after(Duration.ofHours(1)).once();
  }

  @Test
  void failureListsPresentEvents() {
    events.schedule(MAIL.event(new Mail("ana")).key("k").tags("t").at(NOON.plusSeconds(5)));

    assertThatThrownBy(() -> test.assertScheduled(BLOB))
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            "an event must be scheduled of the type 'blob'; there is none, but of other types 1:\n"
                + "  mail due 2026-03-29T12:00:05Z key 'k' queue 'default' tags [t]"
                + " payload {\"to\":\"ana\"}");
    assertThatThrownBy(() -> test.assertScheduled(MAIL).withKey("k").at(NOON))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith(
            "an event must be scheduled of the type 'mail', with the key 'k', due at"
                + " 2026-03-29T12:00:00Z; there is none, but of the type 'mail', with the key 'k'"
                + " 1:\n  mail due 2026-03-29T12:00:05Z");
    assertThatThrownBy(() -> test.assertScheduled(MAIL).withPayload(new Mail("kim")))
        .hasMessageContaining("{\"to\":\"kim\"}")
        .hasMessageContaining("{\"to\":\"ana\"}");
    assertThatThrownBy(() -> test.assertScheduled(MAIL).times(2))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("events must be scheduled of the type 'mail': 2; there are 1:");
    assertThatThrownBy(test::assertNothingScheduled)
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("no event must be scheduled, were 1:\n  mail");
    assertThatThrownBy(() -> test.assertNothingScheduled(MAIL))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("'mail'");
    test.assertNothingScheduled(BLOB);
  }

  @Test
  void noMessageIsEndless() {
    events.scheduleAll(
        IntStream.range(0, 1001).mapToObj(i -> MAIL.event(new Mail("x".repeat(1000)))).toList());

    assertThatThrownBy(test::assertNothingScheduled)
        .hasMessageContaining("were 1001:")
        .hasMessageContaining("and 981 more")
        .satisfies(failure -> assertThat(failure.getMessage()).hasSizeLessThan(10_000));
    test.assertScheduled(MAIL).times(1001);
  }

  @Test
  void whatHasEndedIsNotScheduled() {
    events.schedule(MAIL.event(new Mail("ana")));

    assertThat(test.worker(w -> w.handle(MAIL, (mail, context) -> {})).runDue())
        .singleElement()
        .hasToString("mail 1-0 attempt 1: COMPLETED");

    test.assertNothingScheduled();
    assertThatThrownBy(() -> test.assertScheduled(MAIL))
        .hasMessage(
            "an event must be scheduled of the type 'mail'; there is none, and none of any other"
                + " type");
  }

  @Test
  void itStartsAtThePresentSecond() {
    Instant before = Instant.now();
    Instant start = TestHoldfast.create(schema.dataSource()).clock().instant();

    assertThat(start).isBetween(before.minusSeconds(1), Instant.now());
    assertThat(start).isEqualTo(start.truncatedTo(ChronoUnit.SECONDS));
  }
}
