package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Page;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The list of events, its filters and the replay of many. */
@Timeout(120)
@ExtendWith(Dashboard.class)
class EventsBrowserIT {
  private static void later(Visit visit, String key, String queue) {
    visit.put(key, visit.target("/ok"), ",\"delay\":\"1d\",\"queue\":\"" + queue + "\"");
  }

  @Test
  void filtersAreInUrl(Visit visit) {
    visit.putFailed("filtered-failed", "filtered");
    later(visit, "filtered-waiting", "filtered");
    later(visit, "of-another-queue", "elsewhere");
    Page page = visit.open("#/events?queue=filtered").awaitText("filtered-waiting");
    assertThat(page.text()).contains("filtered-failed").doesNotContain("of-another-queue");
    page.click("[data-status=failed]").awaitGone("filtered-waiting");
    page.awaitThat("location.hash === '#/events?queue=filtered&status=FAILED'");
    page.type("[name=error]", "HTTP 777");
    page.awaitThat("location.hash.includes('error=HTTP+777')");
    page.awaitText("No matching events");
    page.awaitThat("document.querySelector('[name=queue]').value === 'filtered'");
    page.type("[name=error]", "410").awaitText("filtered-failed");
    page.evaluate("history.back()");
    page.awaitThat("location.hash === '#/events?queue=filtered'").awaitText("filtered-waiting");
    page.awaitThat("document.querySelector('[data-status=failed]').ariaPressed === 'false'");
  }

  @Test
  void olderOnesAreOnThePageBehind(Visit visit) {
    String items =
        IntStream.range(0, 51)
            .mapToObj(
                i ->
                    "{\"key\":\"older-%d\",\"target\":{\"url\":\"%s\"},\"delay\":\"1d\",\"queue\":\"older\"}"
                        .formatted(i, visit.target("/ok")))
            .collect(Collectors.joining(","));
    visit.send("POST", "events:batch", "{\"items\":[" + items + "]}");
    Page page = visit.open("#/events?queue=older").awaitText("older-50").awaitText("Older");
    assertThat(page.text()).doesNotContain("older-0\n");
    page.press("Older").awaitText("older-0").awaitGone("older-50");
    page.awaitThat("location.hash.startsWith('#/events?queue=older&cursor=')");
    assertThat(page.text()).doesNotContain("Older");
    page.press("Newest").awaitText("older-50");
  }

  @Test
  void manyAreReplayedAfterTheyWereCounted(Visit visit) {
    for (String key : new String[] {"many-1", "many-2", "many-3"}) {
      visit.putFailed(key, "many");
    }
    Page page = visit.open("#/events?status=FAILED&queue=many").awaitText("many-3");
    page.press("Replay all…").awaitText("3 events will be replayed");
    assertThat(visit.get("events?queue=many").get("items").size()).isEqualTo(3);
    page.press("Replay 3 events").awaitText("3 events replayed.");
    assertThat(visit.get("events?queue=many").get("items").size()).isEqualTo(6);
  }

  @Test
  void nothingIsReplayedThatHasNotEnded(Visit visit) {
    later(visit, "not-ended", "not-ended");
    Page page = visit.open("#/events?queue=not-ended").awaitText("due");
    assertThat(page.text()).doesNotContain("Replay all");
  }

  @Test
  void showsNewActivityOnDemand(Visit visit) {
    later(visit, "activity-1", "activity");
    Page page = visit.open("#/events?queue=activity").awaitText("activity-1").awaitText("Live");
    later(visit, "activity-2", "activity");
    page.press("New data available. Refresh").awaitText("activity-2");
  }

  @Test
  void textsOfOthersStayTexts(Visit visit) {
    String hostile = CallTarget.HOSTILE;
    String key = URLEncoder.encode(hostile, StandardCharsets.UTF_8).replace("+", "%20");
    String id =
        visit.put(
            key,
            visit.target("/hostile"),
            ",\"retry\":{\"maxAttempts\":1},\"tags\":[\"%s\"],\"orderingKey\":\"%s\",\"queue\":\"hostile\""
                .formatted(hostile.replace(' ', '/'), hostile));
    visit.awaitStatus(id, "FAILED");
    Page page = visit.open("#/events?queue=hostile").awaitText(hostile).click("a.title");
    page.awaitThat("location.hash === '#/events/" + id + "'").awaitText("Attempt 1");
    page.awaitThat("document.querySelector('.excerpt').innerText === " + Page.quoted(hostile));
    assertThat(page.evaluate("document.querySelectorAll('img, main script').length").asInt())
        .isZero();
    // what a dialog or a blocked script would have said is looked at after each test
  }

  @Test
  void emptyListShowsNextStep(Visit visit) {
    Page page = visit.openEmpty("#/events").awaitText("curl http");
    page.click("[data-status=failed]").awaitText("No matching events");
    page.press("Clear filters").awaitText("curl http");
  }

  @Test
  void retriesFailedLoad(Visit visit) throws IOException {
    later(visit, "loaded-later", "loaded-later");
    try (Relay relay = visit.relay()) {
      Page page = visit.open(relay, "#/queues").awaitText("loaded-later");
      relay.cut();
      page.press("Events").awaitText("The service is unreachable");
      relay.restore();
      page.press("Try again").awaitGone("The service is unreachable");
      page.awaitThat("document.querySelector('table.events a.title')");
    }
  }
}
