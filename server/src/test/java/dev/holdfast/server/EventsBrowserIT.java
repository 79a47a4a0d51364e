package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Answers;
import dev.holdfast.server.browser.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The list of events, its filters and the replay of many. */
@Timeout(90)
@ExtendWith(Dashboard.class)
class EventsBrowserIT {
  @Test
  void filtersAreInTheAddressAndAskedForOfTheService(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = visit.open("#/events?queue=mail").awaitText("4712-0").click("[data-status=failed]");
    page.awaitThat("location.hash === '#/events?queue=mail&status=FAILED'");
    page.type("[name=error]", "HTTP 5");
    page.awaitThat("location.hash.includes('error=HTTP+5')");
    page.awaitThat("document.querySelector('[name=queue]').value === 'mail'");
    page.evaluate("history.back()");
    page.awaitThat("location.hash === '#/events?queue=mail'");
    page.awaitThat("document.querySelector('[data-status=failed]').ariaPressed === 'false'");
    assertThat(answers.count("GET", "events")).isGreaterThanOrEqualTo(3);
  }

  @Test
  void olderOnesAreOnThePageBehind(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    String first =
        Canned.list(Canned.event("4712-0", "FAILED", "")).replace("]}", "],\"next\":\"4712-0\"}");
    answers.give("GET", "events", 200, first);
    Page page = visit.open("#/events?status=FAILED").awaitText("4712-0").awaitText("Older");
    answers.give("GET", "events", 200, Canned.list(Canned.event("4600-0", "FAILED", "")));
    page.press("Older").awaitText("4600-0");
    page.awaitThat("location.hash === '#/events?status=FAILED&before=4712-0'");
    assertThat(page.text()).doesNotContain("Older");
    answers.give("GET", "events", 200, first);
    page.press("Newest").awaitText("4712-0");
  }

  @Test
  void manyAreReplayedAfterTheyWereCounted(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    answers.give("POST", "events:replay", 200, "{\"count\":41,\"dryRun\":true}");
    Page page = visit.open("#/events?status=FAILED&error=HTTP+503").awaitText("4712-0");
    page.press("Replay all of these…").awaitText("41 events will be replayed");
    assertThat(answers.newest("POST", "events:replay").body())
        .isEqualTo("{\"filter\":{\"status\":[\"FAILED\"],\"error\":\"HTTP 503\"},\"dryRun\":true}");
    page.press("Replay 41 events").awaitText("41 events replayed.");
    assertThat(answers.newest("POST", "events:replay").body()).endsWith("\"dryRun\":false}");
  }

  @Test
  void nothingIsReplayedThatHasNotEnded(Visit visit) {
    Canned.well(visit.page().answers());
    Page page = visit.open("#/events").awaitText("4712-0");
    assertThat(page.text()).doesNotContain("Replay all");
  }

  @Test
  void newsAreToldAndShownWhenAskedFor(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = visit.open("#/events").awaitText("4712-0");
    answers.stream("stats", Canned.stats("ok", "All events are on time", 1001));
    page.awaitText("There is news");
    answers.give("GET", "events", 200, Canned.list(Canned.event("4800-0", "COMPLETED", "")));
    page.press("There is news. Refresh").awaitText("4800-0").awaitGone("There is news");
  }

  @Test
  void textsOfOthersStayTexts(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    String hostile = Canned.HOSTILE;
    String event =
        Canned.event(
                "66-0",
                "FAILED",
                ",\"key\":\"%s\",\"error\":\"%s\",\"tags\":[\"%s\"]"
                    .formatted(hostile, hostile, hostile))
            .replace("https://mail.example/send", "javascript:alert(3)//" + hostile);
    answers.give("GET", "events", 200, Canned.list(event));
    answers.give(
        "GET",
        "events/66-0",
        200,
        event.replaceFirst(
            "}$",
            ",\"attemptLog\":[{\"number\":1,"
                + "\"at\":\"2026-01-01T00:00:00Z\",\"outcome\":\"FAILED\",\"error\":\"%s\",\"excerpt\":\"%s\",\"instance\":\"%s\"}]}"
                    .formatted(hostile, hostile, hostile)));
    Page page = visit.open("#/events").awaitText(hostile).click("a.title");
    page.awaitThat("location.hash === '#/events/66-0'").awaitText("Attempt 1");
    assertThat(page.evaluate("document.querySelectorAll('img, main script').length").asInt())
        .isZero();
    assertThat(page.evaluate("document.querySelectorAll('a[href^=javascript]').length").asInt())
        .isZero();
    // what a dialog or a blocked script would have said is looked at after each test
  }

  @Test
  void aListWithoutEventsTellsTheNextStep(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    answers.give("GET", "events", 200, Canned.list());
    Page page = visit.open("#/events").awaitText("curl http");
    page.click("[data-status=failed]").awaitText("No event fits these filters");
    page.press("Clear the filters").awaitText("curl http");
  }

  @Test
  void aFailureToLoadIsToldAndTriedAgain(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    answers.give("GET", "events", 503, Canned.problem(503, "the database is away"));
    Page page = visit.open("#/events").awaitText("the database is away");
    answers.give("GET", "events", 200, Canned.list(Canned.event("4712-0", "FAILED", "")));
    page.press("Try again").awaitText("4712-0");
  }
}
