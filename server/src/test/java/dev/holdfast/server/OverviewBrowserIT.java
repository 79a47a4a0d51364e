package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Page;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whether all is well, at one look. */
@Timeout(120)
@ExtendWith(Dashboard.class)
class OverviewBrowserIT {
  private static void later(Visit visit, String key, String queue) {
    visit.put(key, visit.target("/ok"), ",\"delay\":\"1d\",\"queue\":\"" + queue + "\"");
  }

  @Test
  void showsHealthCountsAndInstances(Visit visit) {
    visit.awaitStatus(visit.put("overview-done", visit.target("/ok"), ""), "COMPLETED");
    visit.putFailed("overview-failed", "overview");
    Page page = visit.open("").awaitText("1 of 1 alive").awaitText("failed in the last hour");
    page.awaitThat("document.querySelector('.verdict').dataset.level !== 'ok'");
    page.awaitThat("Number(document.querySelector('[data-figure=completed] b').innerText) > 0");
    page.awaitThat("Number(document.querySelector('[data-figure=failed] b').innerText) > 0");
    page.awaitThat("document.querySelectorAll('.plot rect').length > 1");
    page.awaitThat("document.querySelectorAll('.plot path.line').length === 2");
    page.awaitThat("document.querySelector('.plot svg').getAttribute('aria-label')");
  }

  @Test
  void theStreamMovesItOn(Visit visit) {
    later(visit, "moves-1", "moves");
    Page page = visit.open("").awaitText("moves").awaitText("Live");
    page.evaluate("window.stayed = true");
    later(visit, "moves-2", "moves");
    page.awaitThat(
        "[...document.querySelectorAll('li.queue')].some(one => one.innerText.startsWith('moves')"
            + " && one.innerText.includes('2 pending'))");
    assertThat(page.evaluate("window.stayed").asBoolean()).isTrue();
  }

  @Test
  void anErrorLeadsToItsEvents(Visit visit) {
    visit.putFailed("leads-to-it", "leads");
    Page page = visit.open("");
    String failure =
        "[...document.querySelectorAll('.failure')].find(one => one.innerText.includes('410'))";
    page.awaitThat(failure).evaluate(failure + ".click()");
    page.awaitThat("location.hash.startsWith('#/events?status=FAILED&error=')");
    page.awaitThat("document.querySelector('[name=error]').value.includes('410')");
    page.awaitText("leads-to-it");
  }

  @Test
  void aQueueIsPausedAfterAQuestion(Visit visit) {
    later(visit, "pause-1", "asked-first");
    Page page = visit.open("").awaitText("asked-first").press("Pause asked-first");
    page.awaitText("Pause asked-first?");
    assertThat(visit.get("queues/asked-first").get("paused").asBoolean()).isFalse();
    page.press("Pause queue").awaitText("Paused asked-first");
    assertThat(visit.get("queues/asked-first").get("paused").asBoolean()).isTrue();
    visit.send("POST", "queues/asked-first:resume", "");
  }

  @Test
  void everyProblemIsInTheVerdict(Visit visit) {
    visit.send("POST", "queues/held-up:pause", "");
    visit.putFailed("verdict-failed", "overview");
    visit.put("held-up-1", visit.target("/ok"), ",\"queue\":\"held-up\"");
    Page page = visit.open("").awaitText("failed in the last hour");
    page.awaitText("the queue held-up is paused");
    visit.send("POST", "queues/held-up:resume", "");
    page.awaitGone("the queue held-up is paused");
  }

  @Test
  void emptyServiceShowsHelp(Visit visit) {
    Page page = visit.openEmpty("").awaitText("No events yet");
    assertThat(page.text())
        .contains("curl http://127.0.0.1", "/tools/holdfast/v1/publish/https://");
    page.awaitText("All events are on time");
  }

  @Test
  void reconnectsAndShowsLostConnection(Visit visit) throws IOException {
    try (Relay relay = visit.relay()) {
      Page page = visit.open(relay, "").awaitText("Live");
      relay.cut();
      page.awaitText("Connection lost").awaitText("Data may be outdated");
      relay.restore();
      page.awaitGone("Data may be outdated").awaitText("Live");
    }
  }

  @Test
  void anotherSpanOfTimeIsInTheAddress(Visit visit) {
    Page page = visit.open("").awaitText("6 hours").press("6 hours");
    page.awaitThat("location.hash === '#/?window=PT6H'");
    page.awaitThat("document.querySelector('.windows [aria-current]').innerText === '6 hours'");
    page.awaitText("in 6 hours");
  }
}
