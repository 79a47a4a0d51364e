package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Page;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** One event: what has happened to it, and what can be done about it. */
@Timeout(120)
@ExtendWith(Dashboard.class)
class EventBrowserIT {
  private static final String LATER = ",\"delay\":\"1d\",\"queue\":\"one\"";

  @Test
  void everyAttemptIsInTheTimeline(Visit visit) {
    String url = visit.target("/broken-then-silent");
    String event =
        """
        {"target":{"url":"%s","body":{"n":12345678901234567890}},"timeout":"1s","tags":["paid"],
         "retry":{"maxAttempts":5,"initialDelay":"24h","multiplier":4,"maxDelay":"24h"}}\
        """
            .formatted(url);
    String id = visit.send("PUT", "events/timeline", event).get("id").asString();
    Page page = visit.open("#/events/timeline").awaitText("Attempt 1").awaitText("restarting");
    visit.send("POST", "events/" + id + ":run", "{}", "If-Match", "*");
    page.awaitText("Attempt 2").awaitText("Attempt 3");
    assertThat(page.text())
        .contains("timeline", "Retrying", "HTTP 503", "no response within 1 s", "127.1.")
        .contains("2 of 5 attempts", "will be retried")
        .contains("first retry after 1 d, then ×4, at most 1 d apart", url)
        // a number that a double cannot hold
        .contains("12345678901234567890");
    assertThat(page.evaluate("document.querySelector('.timeline time').title").asString())
        .contains("UTC");
  }

  @Test
  void itIsRunNow(Visit visit) {
    visit.put("run-now", visit.target("/ok/run-now"), LATER);
    Page page = visit.open("#/events/run-now").awaitText("Timeline").press("Run now");
    page.awaitText("Run this event now?").press("Run now").awaitText("The event is due now.");
    page.awaitText("Completed");
    assertThat(visit.received("/ok/run-now")).hasSize(1);
  }

  @Test
  void reloadsChangedEvent(Visit visit) {
    String id = visit.put("changed-meanwhile", visit.target("/ok"), LATER);
    Page page = visit.open("#/events/changed-meanwhile").awaitText("Timeline");
    page.press("Cancel").awaitText("Cancel this event?").type("[name=reason]", "not wanted");
    visit.send("PATCH", "events/" + id, "{\"priority\":9}", "If-Match", "*");
    page.press("Cancel event").awaitText("It changed since you loaded it");
    assertThat(visit.get("events/" + id).get("status").asString()).isEqualTo("PENDING");
    page.press("Reload").awaitGone("It changed since you loaded it");
    page.awaitThat("document.querySelector('main').innerText.match(/Priority\\s+9/)");
    page.press("Cancel").awaitText("Cancel this event?").type("[name=reason]", "not wanted");
    page.press("Cancel event").awaitText("Event cancelled.");
    assertThat(visit.get("events/" + id).get("error").asString()).contains("not wanted");
  }

  @Test
  void itGetsAnotherTime(Visit visit) {
    String id = visit.put("another-time", visit.target("/ok"), LATER);
    Page page = visit.open("#/events/another-time").awaitText("Timeline").press("Reschedule");
    page.awaitText("New time");
    page.evaluate("document.querySelector('dialog [name=at]').value = '2031-02-03T04:05:06'");
    page.press("Reschedule").awaitText("Event rescheduled.");
    String wanted = page.evaluate("new Date('2031-02-03T04:05:06').toISOString()").asString();
    assertThat(Instant.parse(visit.get("events/" + id).get("dueAt").asString()))
        .isEqualTo(Instant.parse(wanted));
  }

  @Test
  void aReplayLeadsToTheNewEvent(Visit visit) {
    String id = visit.putFailed("to-replay", "one");
    Page page = visit.open("#/events/to-replay").awaitText("failed, no retry").press("Replay");
    page.awaitText("Replay this event?").press("Replay").awaitText("as a replay of " + id);
    page.awaitThat("!location.hash.includes('to-replay')");
  }

  @Test
  void showsRejectionMessage(Visit visit) {
    String id = visit.putFailed("replayed-before", "one");
    Page page = visit.open("#/events/replayed-before").awaitText("Timeline").press("Replay");
    page.awaitText("Replay this event?");
    String replay = visit.send("POST", "events/" + id + ":replay", "{}").get("id").asString();
    page.press("Replay").awaitText(replay).key("Escape").awaitGone("Replay this event?");
  }

  @Test
  void anEventThatIsGoneIsSaidToBe(Visit visit) {
    visit.open("#/events/no-such-event").awaitText("Event not found");
  }
}
