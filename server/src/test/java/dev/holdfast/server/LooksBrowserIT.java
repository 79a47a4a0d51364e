package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Page;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The dashboard on a phone, in the dark, by keyboard, and for those who hear it. */
@Timeout(120)
@ExtendWith(Dashboard.class)
class LooksBrowserIT {
  /** All of them, with something to show. */
  private static List<String> views(Visit visit) {
    String queue = "looks-" + visit.number();
    visit.putFailed("failed-" + queue, queue);
    String later = ",\"delay\":\"1d\",\"queue\":\"" + queue + "\"";
    visit.put("later-" + queue, visit.target("/ok"), later);
    visit.schedule(queue);
    return List.of(
        "",
        "#/events?queue=" + queue,
        "#/events/failed-" + queue,
        "#/events/later-" + queue,
        "#/schedules",
        "#/schedules/" + queue,
        "#/schedules/" + queue + "/edit",
        "#/new-schedule",
        "#/queues",
        "#/nowhere");
  }

  @Test
  void noViewIsWiderThanAPhone(Visit visit) {
    List<String> views = views(visit);
    Page page = visit.open("");
    page.phone();
    for (String view : views) {
      page.open(visit.address(view));
      page.awaitThat("document.querySelector('main h1, main h2')");
      assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
          .as(view)
          .isLessThanOrEqualTo(360);
    }
  }

  @Test
  void everyFieldAndButtonHasAName(Visit visit) {
    List<String> views = views(visit);
    Page page = visit.open("");
    for (String view : views) {
      page.open(visit.address(view));
      page.awaitThat("document.querySelector('main h1, main h2')");
      assertThat(
              page.evaluate(
                      "[...document.querySelectorAll('input, select, textarea, button,"
                          + " a')].filter(one => !one.innerText.trim() && !one.ariaLabel &&"
                          + " !one.title && !one.labels?.length).map(one => one.outerHTML).join()")
                  .asString())
          .as(view)
          .isEmpty();
    }
  }

  @Test
  void themeFollowsSystemUntilChosen(Visit visit) {
    views(visit);
    String background = "getComputedStyle(document.body).backgroundColor";
    Page page = visit.open("").awaitText("Throughput");
    page.prefers("light");
    String light = page.evaluate(background).asString();
    page.prefers("dark");
    String dark = page.evaluate(background).asString();
    assertThat(dark).isNotEqualTo(light);

    page.press("Light").awaitThat(background + " === '" + light + "'");
    page.open(visit.address("#/queues"));
    page.awaitText("looks").awaitThat(background + " === '" + light + "'");
  }

  @Test
  void keyboardReachesContentAndLeavesDialogs(Visit visit) {
    List<String> views = views(visit);
    Page page = visit.open(views.get(1)).awaitText("later-looks").key("Tab");
    page.awaitThat("document.activeElement.innerText === 'Skip to content'");
    page.evaluate("document.querySelector('a.title').focus()");
    page.awaitThat("getComputedStyle(document.querySelector('a.title')).outlineStyle === 'solid'");
    page.open(visit.address(views.get(3)));
    page.press("Run now").awaitText("Run this event now?");
    page.awaitThat("document.querySelector('dialog').contains(document.activeElement)");
    page.key("Escape").awaitGone("Run this event now?");
  }

  @Test
  void allIsUnderThePathOfTheService(Visit visit) {
    Page page = visit.open("").awaitText("Throughput");
    assertThat(
            page.evaluate(
                    "performance.getEntriesByType('resource').map(one => new"
                        + " URL(one.name).pathname).filter(path => !path.startsWith('"
                        + Dashboard.PATH
                        + "/')).join()")
                .asString())
        .isEmpty();
  }
}
