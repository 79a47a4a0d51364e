package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Answers;
import dev.holdfast.server.browser.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What comes again and again: seen, made, changed, stopped. */
@Timeout(90)
@ExtendWith(Dashboard.class)
class SchedulesBrowserIT {
  private static final String PREVIEW =
      """
      {"recurrence":"daily 09:00 in Europe/Madrid","description":"every day at nine","next":["2031-01-01T08:00:00Z"]}""";

  private static Answers answers(Visit visit) {
    return Canned.well(visit.page().answers())
        .give("GET", "schedules/birthdays", 200, Canned.schedule("birthdays", false))
        .give("POST", "schedules:preview", 200, PREVIEW);
  }

  @Test
  void theyAreListedAndFoundByTyping(Visit visit) {
    answers(visit);
    Page page = visit.open("#/schedules").awaitText("birthdays").awaitText("in 5 h");
    assertThat(page.text()).contains("every day at 09:00 (Europe/Madrid)", "rates", "Paused");
    page.type("input.find", "rat").awaitGone("birthdays").awaitText("rates");
    page.awaitThat("location.hash === '#/schedules?find=rat'");
  }

  @Test
  void oneIsMadeWhileItsNextRunsAreSeen(Visit visit) {
    Answers answers = answers(visit);
    answers.give("PUT", "schedules/nightly", 201, Canned.schedule("nightly", false));
    answers.give("GET", "schedules/nightly", 200, Canned.schedule("nightly", false));
    Page page = visit.open("#/schedules").awaitText("birthdays").press("New schedule");
    page.awaitText("every day at nine").awaitText("Wed, 1 Jan 2031");
    answers.give("POST", "schedules:preview", 400, Canned.problem(400, "a recurrence must read"));
    page.type("[name=recurrence]", "sometimes").awaitText("a recurrence must read");
    assertThat(answers.newest("POST", "schedules:preview").body())
        .isEqualTo("{\"recurrence\":\"sometimes\",\"count\":5}");

    page.type("[name=name]", "nightly");
    page.type("[name=recurrence]", "daily 09:00 in Europe/Madrid");
    page.type("[name=url]", "https://mail.example/x").type("[name=body]", "{\"a\": 1}");
    page.type("[name=headers]", "X-A: b").press("Create the schedule");
    page.awaitThat("location.hash === '#/schedules/nightly'").awaitText("Created nightly");
    assertThat(answers.newest("PUT", "schedules/nightly").body())
        .contains("\"recurrence\":\"daily 09:00 in Europe/Madrid\"")
        .contains("\"headers\":{\"X-A\":\"b\"},\"body\":{\"a\":1}")
        .doesNotContain("\"name\"");
  }

  @Test
  void oneIsChangedAsItWasSeenAndKeepsWhatTheFormDoesNotShow(Visit visit) {
    Answers answers = answers(visit);
    answers.give("PUT", "schedules/birthdays", 412, Canned.problem(412, "changed"));
    Page page = visit.open("#/schedules/birthdays").awaitText("Next runs").press("Edit");
    page.awaitText("Edit birthdays").type("[name=queue]", "other").press("Save");
    page.awaitText("It has changed meanwhile");
    var request = answers.newest("PUT", "schedules/birthdays");
    assertThat(request.ifMatch()).isEqualTo("\"7\"");
    assertThat(request.body())
        .contains("\"missed\":\"once\"", "\"tolerance\":\"PT1M\"", "\"queue\":\"other\"");
    answers.give("PUT", "schedules/birthdays", 200, Canned.schedule("birthdays", false));
    page.press("Save").awaitText("Saved birthdays");
  }

  @Test
  void oneIsPausedTriggeredAndDeletedAfterQuestions(Visit visit) {
    Answers answers = answers(visit);
    answers.give("POST", ".*:pause", 200, Canned.schedule("birthdays", true));
    answers.give("POST", ".*:trigger", 201, "{\"event\":\"4711-0\"}");
    answers.give("DELETE", "schedules/birthdays", 204, "");
    Page page = visit.open("#/schedules/birthdays").awaitText("Next runs").press("Pause");
    page.awaitText("Pause birthdays?").press("Pause").awaitText("Paused birthdays");
    assertThat(answers.newest("POST", "schedules/birthdays:pause").ifMatch()).isEqualTo("\"7\"");
    page.press("Trigger now").awaitText("Trigger birthdays now?").press("Trigger");
    page.awaitText("Triggered: 4711-0");
    page.press("Delete").awaitText("Delete birthdays?").press("Delete the schedule");
    page.awaitThat("location.hash === '#/schedules'").awaitText("Deleted birthdays");
    assertThat(answers.newest("DELETE", "schedules/birthdays").ifMatch()).isEqualTo("\"7\"");
  }

  @Test
  void oneOfTheListIsPausedWithTheTagOfNow(Visit visit) {
    Answers answers = answers(visit);
    answers.give("POST", ".*:pause", 200, Canned.schedule("birthdays", true));
    Page page = visit.open("#/schedules").awaitText("birthdays").press("Pause birthdays");
    page.awaitText("Pause birthdays?").press("Pause").awaitText("Paused birthdays");
    assertThat(answers.newest("POST", "schedules/birthdays:pause").ifMatch()).isEqualTo("\"7\"");
  }

  @Test
  void aHiddenHeaderIsNotOverwrittenByItsMask(Visit visit) {
    Answers answers = answers(visit);
    answers.give(
        "GET",
        "schedules/birthdays",
        200,
        Canned.schedule("birthdays", false)
            .replace("\"method\"", "\"headers\":{\"Authorization\":\"…redacted…\"},\"method\""));
    Page page = visit.open("#/schedules/birthdays/edit").awaitText("Edit birthdays").press("Save");
    page.awaitText("The value of Authorization is hidden here");
    assertThat(answers.count("PUT", ".*")).isZero();
  }

  @Test
  void withoutAnyTheFirstIsOffered(Visit visit) {
    answers(visit).give("GET", "schedules", 200, Canned.list());
    visit.open("#/schedules").awaitText("No schedule yet").press("New schedule");
    visit.page().awaitText("every day at nine");
  }
}
