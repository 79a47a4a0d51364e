package dev.holdfast.testing.docs;

import static dev.holdfast.testing.docs.EventsGuideIT.BIRTHDAY;
import static dev.holdfast.testing.docs.EventsGuideIT.INVOICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestHoldfast;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.testing.TestWorker;
import dev.holdfast.testing.docs.EventsGuideIT.Birthday;
import dev.holdfast.testing.docs.EventsGuideIT.Invoice;
import dev.holdfast.testing.docs.EventsGuideIT.Mailer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The snippets and the facts of the guide to events that a worker driven by hand can show. */
class EventsByHandGuideIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final Mailer mailer = new Mailer();

  /** What the payload of a welcome was before people had a language. */
  record EarlierWelcome(long userId, String name) {}

  record Welcome(long userId, String name, @Nullable String language) {
    Welcome {
      language = language == null ? "en" : language; // scheduled before there was one
    }
  }

  record Person(long id, String name, MonthDay birthday, ZoneId zone) {}

  private static final class Birthdays {
    void register(Holdfast holdfast, Person person) {
      Instant next =
          Recurrence.yearly(person.birthday(), LocalTime.of(9, 0), person.zone())
              .next(Instant.parse("2026-05-16T12:00:00Z"))
              .orElseThrow();
      holdfast
          .events()
          .schedule(
              BIRTHDAY
                  .event(new Birthday(person.id(), person.name()))
                  .at(next)
                  .key("birthday-" + person.id() + "-" + next.atZone(person.zone()).getYear()));
    }
  }

  @AfterEach
  void dropSchema() {
    schema.close();
  }

  @Test
  void payloadsOfTwoVersionsLiveSideBySide() {
    Holdfast holdfast = Holdfast.create(schema.dataSource());
    holdfast.migrations().migrate();
    EventType<EarlierWelcome> earlier = EventType.of("welcome", EarlierWelcome.class);
    EventType<Welcome> now = EventType.of("welcome", Welcome.class);
    List<Record> read = new ArrayList<>();
    holdfast.events().schedule(earlier.event(new EarlierWelcome(42, "Ana")));
    holdfast
        .worker()
        .handle(now, (welcome, context) -> read.add(welcome))
        .buildManual()
        .handleNext();
    holdfast.events().schedule(now.event(new Welcome(43, "Kim", "es")));
    holdfast.worker().handle(earlier, (old, context) -> read.add(old)).buildManual().handleNext();

    assertThat(read).containsExactly(new Welcome(42, "Ana", "en"), new EarlierWelcome(43, "Kim"));
  }

  @Test
  void whatAPayloadDoesNotSayIsNullOrZero() {
    Holdfast holdfast = Holdfast.create(schema.dataSource());
    holdfast.migrations().migrate();
    EventType<String> raw = EventType.of("birthday", String.class);
    List<Birthday> read = new ArrayList<>();
    ManualWorker worker =
        holdfast.worker().handle(BIRTHDAY, (birthday, context) -> read.add(birthday)).buildManual();
    holdfast.events().schedule(raw.event("{\"more\":[1]}"));
    worker.handleNext();
    EventId id = holdfast.events().schedule(raw.event("{\"userId\":null}")).id();
    worker.handleNext();

    assertThat(read).hasToString("[Birthday[userId=0, name=null]]");
    EventRecord failed = holdfast.events().find(id).orElseThrow();
    assertThat(failed.status()).isEqualTo(EventStatus.FAILED);
    assertThat(failed.error()).startsWith("its payload cannot be read: ");
  }

  @Test
  void firstEventOfOrderingKeyBlocksOthers() {
    Holdfast holdfast = Holdfast.create(schema.dataSource());
    holdfast.migrations().migrate();
    ManualWorker worker =
        holdfast
            .worker()
            .handle(BIRTHDAY, (birthday, context) -> mailer.send(birthday))
            .buildManual();
    Event<Birthday> ana = BIRTHDAY.event(new Birthday(42, "Ana"));
    holdfast.events().schedule(ana.orderingKey("no worker").queue("other"));
    holdfast.events().schedule(ana.orderingKey("no worker"));
    holdfast.events().schedule(INVOICE.event(new Invoice(1)).orderingKey("no handler"));
    holdfast.events().schedule(ana.orderingKey("no handler"));
    assertThat(worker.handleNext()).isEmpty();

    holdfast.events().schedule(ana.queue("other"));
    assertThat(worker.handleNext()).as("of a queue that is not the worker's").isEmpty();
    holdfast.events().schedule(ana);
    assertThat(worker.handleNext()).isPresent();
  }

  @Test
  void joinsCurrentTransactionByDefault() {
    Holdfast holdfast = Holdfast.create(schema.dataSource(2));
    holdfast.migrations().migrate();
    assertThatThrownBy(
            () ->
                holdfast
                    .transactions()
                    .run(
                        tx -> {
                          holdfast
                              .transactions()
                              .requiresNew()
                              .run(
                                  other ->
                                      holdfast
                                          .events()
                                          .schedule(other, INVOICE.event(new Invoice(1))));
                          holdfast.events().schedule(INVOICE.event(new Invoice(2)));
                          throw new IllegalStateException("rolled back");
                        }))
        .hasMessage("rolled back");

    assertThat(holdfast.events().find(EventFilter.all()).events())
        .extracting(EventRecord::payload)
        .containsExactly("{\"id\":1}");
  }

  @Test
  void inATest() {
    Birthdays birthdays = new Birthdays();
    Person ana = new Person(42, "Ana", MonthDay.of(5, 17), ZoneId.of("Europe/Madrid"));

    DataSource dataSource = schema.dataSource();

    Instant start = Instant.parse("2026-05-16T12:00:00Z");
    TestHoldfast test = TestHoldfast.builder(dataSource).startTime(start).build();
    test.holdfast().migrations().migrate();
    TestWorker worker =
        test.worker(w -> w.handle(BIRTHDAY, (birthday, context) -> mailer.send(birthday)));

    birthdays.register(test.holdfast(), ana);

    test.assertScheduled(BIRTHDAY)
        .withKey("birthday-42-2026")
        .at(Instant.parse("2026-05-17T07:00:00Z"))
        .once();
    assertThat(worker.runDue()).isEmpty();
    assertThat(worker.advance(Duration.ofDays(1))).hasSize(1);
    test.assertNothingScheduled(BIRTHDAY);
    assertThat(mailer.sent.getCount()).isZero();
  }

  @Test
  void doWhatIsDueAndEnd() {
    Holdfast holdfast = Holdfast.create(schema.dataSource());
    holdfast.migrations().migrate();
    holdfast.events().schedule(BIRTHDAY.event(new Birthday(42, "Ana")));

    ManualWorker worker =
        holdfast
            .worker()
            .handle(BIRTHDAY, (birthday, context) -> mailer.send(birthday))
            .buildManual();
    int handled = 0;
    while (worker.handleNext().isPresent()) {
      handled++;
    }

    assertThat(handled).isEqualTo(1);
    assertThat(mailer.sent.getCount()).isZero();
  }
}
