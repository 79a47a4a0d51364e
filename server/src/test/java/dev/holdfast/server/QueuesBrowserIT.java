package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The queues and their limits. */
@Timeout(120)
@ExtendWith(Dashboard.class)
class QueuesBrowserIT {
  private static final String LIMITS =
      "{\"limits\":{\"maxConcurrency\":5,\"rateLimit\":{\"count\":10,\"period\":\"1s\"}}}";

  private static void limit(Visit visit, String queue, String limits) {
    visit.send("PATCH", "queues/" + queue, limits, "If-Match", "*");
  }

  @Test
  void limitsAreChangedAsTheyWereSeen(Visit visit) {
    limit(visit, "changed", LIMITS);
    Page page = visit.open("#/queues").awaitText("5 at a time, 10 per 1 s");
    page.press("Limits of changed").awaitText("Per concurrency key");
    page.type("[name='limits.maxConcurrency']", "8").type("[name='keyLimits.maxConcurrency']", "1");
    limit(visit, "changed", "{\"limits\":{\"maxConcurrency\":6}}");
    page.press("Save limits").awaitText("It changed since you loaded it").press("Reload");
    page.awaitThat("document.querySelector(\"[name='limits.maxConcurrency']\")?.value === '6'");
    page.type("[name='limits.maxConcurrency']", "8").type("[name='keyLimits.maxConcurrency']", "1");
    page.type("[name='limits.count']", "30").type("[name='limits.period']", "1m");
    page.press("Save limits").awaitText("Limits of changed saved");
    var queue = visit.get("queues/changed");
    assertThat(queue.get("limits").toString())
        .isEqualTo("{\"maxConcurrency\":8,\"rateLimit\":{\"count\":30,\"period\":\"PT1M\"}}");
    assertThat(queue.get("keyLimits").toString()).isEqualTo("{\"maxConcurrency\":1}");
    page.press("Limits of changed").awaitText("Per concurrency key");
    page.awaitThat("document.querySelector(\"[name='limits.period']\").value === '1m'");
  }

  @Test
  void aLimitIsTakenAway(Visit visit) {
    limit(visit, "taken-away", LIMITS);
    visit.put("taken-away", visit.target("/ok"), ",\"delay\":\"1d\",\"queue\":\"taken-away\"");
    Page page = visit.open("#/queues").awaitText("taken-away").press("Limits of taken-away");
    page.awaitText("Per concurrency key");
    page.type("[name='limits.maxConcurrency']", "")
        .type("[name='limits.count']", "")
        .press("Save limits");
    page.awaitText("Limits of taken-away saved");
    assertThat(visit.get("queues/taken-away").has("limits")).isFalse();
  }

  @Test
  void aPausedOneIsResumed(Visit visit) {
    visit.send("POST", "queues/stopped:pause", "");
    Page page = visit.open("#/queues").awaitText("stopped").press("Resume stopped");
    page.awaitText("Resume stopped?").press("Resume queue").awaitText("Resumed stopped");
    page.awaitThat("!document.querySelector('[data-queue=stopped] .tag')");
    assertThat(visit.get("queues/stopped").get("paused").asBoolean()).isFalse();
  }

  @Test
  void theDepthMovesWithTheStream(Visit visit) {
    String later = ",\"delay\":\"1d\",\"queue\":\"deep\"";
    visit.put("deep-1", visit.target("/ok"), later);
    Page page = visit.open("#/queues").awaitText("deep");
    String pending = "document.querySelector('[data-queue=deep] [data-head=Pending]').innerText";
    page.awaitThat(pending + " === '1'");
    visit.put("deep-2", visit.target("/ok"), later);
    page.awaitThat(pending + " === '2'");
  }
}
