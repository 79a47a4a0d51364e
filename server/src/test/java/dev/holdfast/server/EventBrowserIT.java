package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Answers;
import dev.holdfast.server.browser.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** One event: what has happened to it, and what can be done about it. */
@Timeout(90)
@ExtendWith(Dashboard.class)
class EventBrowserIT {
  private static final String LOG =
      """
      ,"key":"order-1","tags":["paid"],"attemptLog":[
      {"number":1,"at":"2026-01-01T09:00:00Z","duration":"PT0.12S","status":503,"outcome":"RETRY","error":"HTTP 503","excerpt":"restarting","instance":"blue","address":"203.0.113.5"},
      {"number":2,"at":"2026-01-01T09:01:00Z","duration":"PT15S","outcome":"RETRY","error":"no answer in time","instance":"green"}]""";

  private static Page open(Visit visit, Answers answers, String status, String more) {
    answers.give("GET", "events/4711-0", 200, Canned.event("4711-0", status, more));
    return visit.open("#/events/4711-0").awaitText("Timeline");
  }

  @Test
  void everyAttemptIsInTheTimeline(Visit visit) {
    Page page = open(visit, Canned.well(visit.page().answers()), "PENDING", LOG);
    assertThat(page.text())
        .contains("order-1", "Retrying", "Attempt 1", "HTTP 503", "120 ms", "restarting", "blue")
        .contains("203.0.113.5", "Attempt 2", "no answer in time", "15 s", "Attempt 3", "in 7 min")
        .contains("first retry after 5 s, then ×4, at most 6 h apart", "https://mail.example/send");
    // a number that a double cannot hold
    assertThat(page.text()).contains("12345678901234567890");
    assertThat(page.evaluate("document.querySelector('.timeline time').title").asString())
        .contains("UTC");
  }

  @Test
  void itIsRunNowAsItWasSeen(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = open(visit, answers, "PENDING", LOG);
    answers.give("POST", "events/4711-0:run", 200, Canned.event("4711-0", "PENDING", ""));
    page.press("Run now").awaitText("Run this event now?").press("Run now");
    page.awaitText("The event is due now.");
    assertThat(answers.newest("POST", "events/4711-0:run").ifMatch()).isEqualTo("\"7\"");
    assertThat(answers.count("GET", "events/4711-0")).isGreaterThan(1);
  }

  @Test
  void whatHasChangedMeanwhileIsNotChangedButReloaded(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = open(visit, answers, "PENDING", LOG);
    answers.give("POST", "events/4711-0:cancel", 412, Canned.problem(412, "version 4"));
    page.press("Cancel").awaitText("Cancel this event?").type("[name=reason]", "no longer wanted");
    page.press("Cancel the event").awaitText("It has changed meanwhile");
    assertThat(answers.newest("POST", ".*:cancel").body())
        .isEqualTo("{\"reason\":\"no longer wanted\"}");
    answers.give("GET", "events/4711-0", 200, Canned.event("4711-0", "COMPLETED", LOG));
    page.press("Reload").awaitText("Completed").awaitGone("It has changed meanwhile");
    assertThat(page.text()).contains("Replay").doesNotContain("Run now");
  }

  @Test
  void itGetsAnotherTime(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = open(visit, answers, "PENDING", "");
    answers.give("PATCH", "events/4711-0", 200, Canned.event("4711-0", "PENDING", ""));
    page.press("Reschedule").awaitText("New time");
    page.evaluate("document.querySelector('dialog [name=at]').value = '2031-02-03T04:05:06'");
    page.press("Reschedule").awaitText("The event has a new time.");
    assertThat(answers.newest("PATCH", "events/4711-0").body())
        .isEqualTo(
            "{\"at\":\""
                + page.evaluate("new Date('2031-02-03T04:05:06').toISOString()").asString()
                + "\"}");
  }

  @Test
  void aReplayLeadsToTheNewEvent(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = open(visit, answers, "FAILED", LOG);
    String replay = Canned.event("4900-0", "PENDING", ",\"replayOf\":\"4711-0\"");
    answers.give("POST", "events/4711-0:replay", 201, replay);
    answers.give("GET", "events/4900-0", 200, replay);
    page.press("Replay").awaitText("Replay this event?").press("Replay");
    page.awaitThat("location.hash === '#/events/4900-0'").awaitText("as a replay of 4711-0");
  }

  @Test
  void aRefusalIsToldInItsOwnWords(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = open(visit, answers, "FAILED", LOG);
    answers.give("POST", ".*:replay", 409, Canned.problem(409, "it was replayed as 4800-0"));
    page.press("Replay").awaitText("Replay this event?").press("Replay");
    page.awaitText("it was replayed as 4800-0").key("Escape").awaitGone("Replay this event?");
  }

  @Test
  void anEventThatIsGoneIsSaidToBe(Visit visit) {
    Canned.well(visit.page().answers())
        .give("GET", "events/1-0", 404, Canned.problem(404, "there is no event 1-0"));
    visit.open("#/events/1-0").awaitText("There is no such event");
  }
}
