package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several steps in a row, from one view to the next. */
@Timeout(120)
@ExtendWith(Dashboard.class)
class WholeBrowserIT {
  private static final String NEVER_REACHED = "{\"url\":\"http://127.0.0.1:1024/hook\"}";

  private static void put(Visit visit, String key, String more) throws Exception {
    var answer =
        visit
            .server()
            .send("PUT", "/v1/events/" + key, "{\"target\":" + NEVER_REACHED + more + "}");
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
  }

  @Test
  void anEventIsSeenRunCancelledAndReplayed(Visit visit) throws Exception {
    put(visit, "whole-1", ",\"delay\":\"1d\",\"queue\":\"whole\",\"tags\":[\"<b>a</b>\"]");
    Page page = visit.open("#/events?queue=whole").awaitText("whole-1").awaitText("<b>a</b>");
    page.press("whole-1").awaitText("Timeline").press("Reschedule").awaitText("New time");
    page.evaluate("document.querySelector('dialog [name=at]').value = '2099-02-03T04:05:06'");
    page.press("Reschedule").awaitText("Event rescheduled.").awaitText("2099");

    page.press("Cancel").awaitText("Cancel this event?").press("Cancel event");
    page.awaitText("Event cancelled.").awaitText("Cancelled").press("Replay");
    page.awaitText("Replay this event?").press("Replay").awaitText("as a replay of");
    page.awaitThat("!location.hash.includes('whole-1')");
  }

  @Test
  void doesNotOverwriteOtherChange(Visit visit) throws Exception {
    put(visit, "whole-2", ",\"delay\":\"1d\",\"queue\":\"whole\"");
    Page page = visit.open("#/events/whole-2").awaitText("Timeline").press("Run now");
    page.awaitText("Run this event now?");
    var seen = visit.server().get("/v1/events/whole-2", visit.server().token());
    String id = seen.body().replaceFirst("(?s).*?\"id\":\"([^\"]+)\".*", "$1");
    String tag = seen.headers().firstValue("ETag").orElseThrow();
    visit.server().send("POST", "/v1/events/" + id + ":cancel", "{}", "If-Match", tag);
    page.press("Run now").awaitText("It changed since you loaded it").press("Reload");
    page.awaitText("Cancelled").awaitGone("Run this event now?");
  }

  @Test
  void aFailureIsCountedGroupedAndReplayed(Visit visit) throws Exception {
    put(visit, "whole-3", ",\"retry\":{\"maxAttempts\":1}");
    Page page =
        visit
            .open("#/events/whole-3")
            .awaitText("Failed")
            .awaitText("Attempt 1")
            .awaitText("loopback");
    page.open(visit.address(""));
    page.awaitThat("document.querySelector('.failure[href*=loopback]')")
        .click(".failure[href*=loopback]");
    page.awaitText("whole-3").press("Replay all…").awaitText("will be replayed");
    page.press("Cancel").awaitGone("will be replayed");
  }

  @Test
  void aQueueIsLimitedPausedAndResumed(Visit visit) throws Exception {
    put(visit, "whole-4", ",\"delay\":\"1d\",\"queue\":\"limited\"");
    Page page = visit.open("#/queues").awaitText("limited").press("Limits of limited");
    page.type("[name='limits.maxConcurrency']", "3").press("Save limits").awaitText("3 at a time");
    page.press("Pause limited")
        .awaitText("Pause limited?")
        .press("Pause queue")
        .awaitText("Paused");
    page.press("Resume limited").awaitText("Resume limited?").press("Resume queue");
    page.awaitThat("!document.querySelector('[data-queue=limited] .tag')");
  }

  @Test
  void managesSchedule(Visit visit) {
    Page page = visit.open("#/new-schedule").awaitText("Next runs");
    page.type("[name=name]", "whole").type("[name=url]", "http://127.0.0.1:1024/hook");
    page.type("[name=recurrence]", "cron 0 9 * * * in Europe/Madrid").awaitText("Europe/Madrid");
    page.press("Create schedule").awaitText("Created whole").press("Edit");
    page.awaitText("Edit whole").type("[name=recurrence]", "daily 08:30 in Europe/Madrid");
    page.press("Save schedule").awaitText("Saved whole").awaitText("08:30").press("Trigger now");
    page.awaitText("Trigger whole now?").press("Trigger schedule").awaitText("Triggered: ");
    page.press("Pause").awaitText("Pause whole?").press("Pause schedule").awaitText("Paused whole");
    page.awaitText("Resume").press("Delete").awaitText("Delete whole?");
    page.press("Delete schedule").awaitText("Deleted whole");

    page.open(visit.address("#/new-schedule"));
    page.type("[name=recurrence]", "now and then").awaitText("a recurrence must read");
  }

  @Test
  void theOverviewIsAlive(Visit visit) throws Exception {
    put(visit, "whole-5", ",\"delay\":\"1d\",\"queue\":\"seen\"");
    Page page = visit.open("").awaitText("Live").awaitText("1 of 1 alive").awaitText("seen");
    for (String span : new String[] {"15 min", "6 hours", "24 hours"}) {
      page.press(span);
      page.awaitThat(
          "document.querySelector('.windows [aria-current]').innerText === '" + span + "'");
    }
    put(visit, "whole-6", ",\"delay\":\"1d\",\"queue\":\"just-now\"");
    page.awaitText("just-now");
  }
}
