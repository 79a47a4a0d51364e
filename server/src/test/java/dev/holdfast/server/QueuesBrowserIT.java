package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Answers;
import dev.holdfast.server.browser.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The queues and their limits. */
@Timeout(90)
@ExtendWith(Dashboard.class)
class QueuesBrowserIT {
  @Test
  void limitsAreChangedAsTheyWereSeen(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    answers.give("GET", "queues/mail", 200, Canned.queue("mail", false));
    answers.give("PATCH", "queues/mail", 200, Canned.queue("mail", false));
    Page page = visit.open("#/queues").awaitText("5 at a time, 10 per 1 s");
    page.press("Limits of mail").awaitText("Each ordering key");
    page.type("[name='limits.concurrent']", "8").type("[name='keyLimits.concurrent']", "1");
    page.press("Save").awaitText("Limits of mail saved");
    var request = answers.newest("PATCH", "queues/mail");
    assertThat(request.ifMatch()).isEqualTo("\"7\"");
    assertThat(request.body())
        .isEqualTo(
            "{\"limits\":{\"concurrent\":8,\"rate\":{\"amount\":10,\"period\":\"PT1S\"}},"
                + "\"keyLimits\":{\"concurrent\":1}}");
  }

  @Test
  void aLimitIsTakenAway(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    answers.give("GET", "queues/mail", 200, Canned.queue("mail", false));
    answers.give("PATCH", "queues/mail", 200, Canned.queue("mail", false));
    Page page = visit.open("#/queues").awaitText("mail").press("Limits of mail");
    page.type("[name='limits.concurrent']", "").type("[name='limits.amount']", "").press("Save");
    page.awaitText("Limits of mail saved");
    assertThat(answers.newest("PATCH", "queues/mail").body())
        .isEqualTo("{\"limits\":null,\"keyLimits\":null}");
  }

  @Test
  void aPausedOneIsResumed(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    answers.give("POST", "queues/reports:resume", 200, Canned.queue("reports", false));
    Page page = visit.open("#/queues").awaitText("Paused").press("Resume reports");
    page.awaitText("Resume reports?");
    answers.give("GET", "queues", 200, Canned.list(Canned.queue("reports", false)));
    page.press("Resume").awaitText("Resumed reports");
    page.awaitThat("!document.querySelector('[data-queue=reports] .tag')");
  }

  @Test
  void theDepthMovesWithTheStream(Visit visit) {
    Answers answers = Canned.well(visit.page().answers());
    Page page = visit.open("#/queues").awaitText("mail");
    answers.stream(
        "stats",
        Canned.stats("ok", "All events are on time", 1)
            .replace("\"pending\":14", "\"pending\":98"));
    page.awaitThat("document.querySelector('[data-queue=mail]').innerText.includes('98')");
  }
}
