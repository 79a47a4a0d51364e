package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The way into the dashboard and out of it. */
@Timeout(120)
@ExtendWith(Dashboard.class)
class SignInBrowserIT {
  @Test
  void rejectsWrongTokenAndAcceptsRight(Visit visit) {
    Page page = visit.page();
    page.open(visit.address(""));
    page.awaitText("Sign in").type("#token", "hf_wrong").press("Sign in");
    page.awaitText("Invalid token");

    page.type("#token", visit.server().token()).press("Sign in");
    page.awaitText("Throughput");
    assertThat(page.evaluate("document.cookie").asString()).isEmpty();
  }

  @Test
  void aSignOutEndsTheSession(Visit visit) {
    Page page = visit.open("").awaitText("Throughput").press("Sign out");
    page.awaitText("Sign in");
    page.open(visit.address("#/events"));
    page.awaitText("Sign in");
    assertThat(page.evaluate("fetch('v1/instances').then(a => a.status)").asInt()).isEqualTo(401);
  }

  @Test
  void expiredSessionResumesAfterSignIn(Visit visit) {
    visit.schedule("over");
    Page page = visit.open("#/schedules/over").awaitText("Next runs");
    page.evaluate("import('./ui/api.js').then(api => api.signOut())");
    page.press("Trigger now").press("Trigger schedule");
    page.awaitText("Sign in").type("#token", visit.server().token());
    page.press("Sign in").awaitText("Next runs");
    page.awaitThat("location.hash === '#/schedules/over'");
  }
}
