package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Page;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The dashboard on a phone, in the dark, by keyboard, and for those who hear it. */
@Timeout(90)
@ExtendWith(Dashboard.class)
class LooksBrowserIT {
  private static final List<String> VIEWS =
      List.of(
          "",
          "#/events?queue=mail",
          "#/events/4711-0",
          "#/schedules",
          "#/schedules/birthdays",
          "#/new-schedule",
          "#/queues",
          "#/nowhere");

  private static void answer(Visit visit) {
    Canned.well(visit.page().answers())
        .give("GET", "events/4711-0", 200, Canned.event("4711-0", "PENDING", ""))
        .give("GET", "schedules/birthdays", 200, Canned.schedule("birthdays", false))
        .give(
            "POST",
            "schedules:preview",
            200,
            "{\"recurrence\":\"x\",\"description\":\"x\",\"next\":[]}");
  }

  @Test
  void noViewIsWiderThanAPhone(Visit visit) {
    answer(visit);
    Page page = visit.open("");
    page.phone();
    for (String view : VIEWS) {
      page.open(visit.address(view));
      page.awaitThat("document.querySelector('main h1, main h2')");
      assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
          .as(view)
          .isLessThanOrEqualTo(360);
    }
  }

  @Test
  void everyFieldAndButtonHasAName(Visit visit) {
    answer(visit);
    Page page = visit.open("");
    for (String view : VIEWS) {
      page.open(visit.address(view));
      page.awaitThat("document.querySelector('main h1, main h2')");
      assertThat(
              page.evaluate(
                      "[...document.querySelectorAll('input, select, textarea, button, a')].filter(one =>"
                          + " !one.innerText.trim() && !one.ariaLabel && !one.title && !one.labels?.length)"
                          + ".map(one => one.outerHTML).join()")
                  .asString())
          .as(view)
          .isEmpty();
    }
  }

  @Test
  void theColoursFollowTheSystemUntilSomebodyChooses(Visit visit) {
    answer(visit);
    String background = "getComputedStyle(document.body).backgroundColor";
    Page page = visit.open("").awaitText("All events are on time");
    page.prefers("light");
    String light = page.evaluate(background).asString();
    page.prefers("dark");
    String dark = page.evaluate(background).asString();
    assertThat(dark).isNotEqualTo(light);

    page.press("Light").awaitThat(background + " === '" + light + "'");
    page.open(visit.address("#/queues"));
    page.awaitText("mail").awaitThat(background + " === '" + light + "'");
  }

  @Test
  void theKeyboardReachesTheContentAndLeavesDialogs(Visit visit) {
    answer(visit);
    Page page = visit.open("#/events").awaitText("4712-0").key("Tab");
    page.awaitThat("document.activeElement.innerText === 'Skip to the content'");
    page.evaluate("document.querySelector('a.title').focus()");
    page.awaitThat("getComputedStyle(document.querySelector('a.title')).outlineStyle === 'solid'");
    page.open(visit.address("#/events/4711-0"));
    page.press("Run now").awaitText("Run this event now?");
    page.awaitThat("document.querySelector('dialog').contains(document.activeElement)");
    page.key("Escape").awaitGone("Run this event now?");
  }

  @Test
  void allIsUnderThePathOfTheService(Visit visit) {
    answer(visit);
    Page page = visit.open("").awaitText("All events are on time");
    assertThat(
            page.evaluate(
                    "performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)"
                        + ".filter(path => !path.startsWith('"
                        + Dashboard.PATH
                        + "/')).join()")
                .asString())
        .isEmpty();
  }
}
