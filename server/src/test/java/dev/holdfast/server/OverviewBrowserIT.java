package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Answers;
import dev.holdfast.server.browser.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whether all is well, at one look. */
@Timeout(90)
@ExtendWith(Dashboard.class)
class OverviewBrowserIT {
  @Test
  void theVerdictTheCountsAndTheInstancesAreSeen(Visit visit) {
    Canned.well(visit.page().answers());
    Page page = visit.open("").awaitText("All events are on time");
    assertThat(page.text())
        .contains("waits for 2 min 5 s", "1,284", "1 of 1 alive", "12", "HTTP 503 of mail");
    page.awaitThat("document.querySelectorAll('.plot rect').length > 60");
    page.awaitThat("document.querySelectorAll('.plot path.line').length === 2");
    page.awaitThat("document.querySelector('.plot svg').getAttribute('aria-label')");
  }

  @Test
  void theStreamMovesItOn(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = visit.open("").awaitText("1,000");
    answers.stream("stats", Canned.stats("critical", "Events are late", 4321));
    page.awaitText("Events are late").awaitText("4,321");
    page.awaitThat("document.querySelector('.verdict').dataset.level === 'critical'");
    assertThat(answers.count("GET", "stats")).isEqualTo(1);
  }

  @Test
  void anErrorLeadsToItsEvents(Visit visit) {
    Canned.well(visit.page().answers());
    Page page = visit.open("").awaitText("HTTP 503 of mail").click(".failure");
    page.awaitThat("location.hash === '#/events?status=FAILED&error=HTTP+503+of+mail'");
    page.awaitThat("document.querySelector('[name=error]').value === 'HTTP 503 of mail'");
  }

  @Test
  void aQueueIsPausedAfterAQuestion(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    answers.give("POST", "queues/mail:pause", 200, Canned.queue("mail", true));
    Page page = visit.open("").awaitText("All events are on time").press("Pause mail");
    page.awaitText("Pause mail?");
    assertThat(answers.count("POST", "queues/.*")).isZero();
    page.press("Pause").awaitText("Paused mail");
    assertThat(answers.newest("POST", "queues/mail:pause").csrf()).isNotEmpty();
  }

  @Test
  void aServiceWithoutEventsTellsHowToMakeOne(Visit visit) {
    String nothing =
        """
        {"at":"2026-01-01T00:00:00Z","window":"PT1H","step":"PT1M","verdict":{"level":"ok","text":"Nothing to do"},
        "counts":{"pending":0,"due":0,"processing":0,"completed":0,"failed":0,"cancelled":0,"retried":0},
        "oldestDueAge":"PT0S","queues":[],"failures":[],"series":[]}""";
    visit.page().answers().give("GET", "stats", 200, nothing).stream("stats", nothing);
    Page page = visit.open("").awaitText("No event yet");
    assertThat(page.text())
        .contains("curl http://127.0.0.1", "/tools/holdfast/v1/publish/https://");
  }

  @Test
  void aLostConnectionIsToldAndHealsByItself(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = visit.open("").awaitText("Live");
    answers.unreachable();
    page.awaitText("Connection lost").awaitText("What you see may be old");
    answers.reachable();
    page.awaitGone("What you see may be old").awaitText("Live");
  }

  @Test
  void anotherSpanOfTimeIsInTheAddress(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = visit.open("").awaitText("6 hours").press("6 hours");
    page.awaitThat("location.hash === '#/?window=PT6H'");
    page.awaitThat("document.querySelector('.windows [aria-current]').innerText === '6 hours'");
    assertThat(answers.count("GET", "stats")).isEqualTo(2);
  }
}
