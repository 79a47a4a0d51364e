package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.Dashboard.Visit;
import dev.holdfast.server.browser.Page;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What comes again and again: seen, made, changed, stopped. */
@Timeout(120)
@ExtendWith(Dashboard.class)
class SchedulesBrowserIT {
  private static final String SECRET =
      """
      {"recurrence":"cron 0 9 1 1 * in UTC","misfire":"fire_once","misfireThreshold":"1m","orderingKey":"o",
       "target":{"url":"%s?sig=abc%%20def&page=2","headers":{"X-Authorization":"Bearer super-secret",
       "Cookie":["a=1","b=2"],"Accept":"text/csv"},"body":{"n":12345678901234567890,"f":1.10}}}\
      """;

  @Test
  void theyAreListedAndFoundByTyping(Visit visit) {
    visit.schedule("birthdays");
    visit.schedule("rates");
    visit.send("POST", "schedules/rates:pause", "", "If-Match", "*");
    Page page = visit.open("#/schedules").awaitText("birthdays").awaitText("rates");
    assertThat(page.text()).contains("0 9 1 1 *", "Paused", "not yet");
    page.type("input.find", "rat").awaitGone("birthdays").awaitText("rates");
    page.awaitThat("location.hash === '#/schedules?find=rat'");
  }

  @Test
  void allAreListedAlsoWhereTheyAreManyPages(Visit visit) {
    List<String> names =
        IntStream.range(0, 205)
            .mapToObj(i -> "page-" + String.format("%03d", i))
            .collect(Collectors.toList());
    names.forEach(visit::schedule);
    Page page = visit.open("#/schedules?find=page-").awaitText("page-204");
    assertThat(page.evaluate("document.querySelectorAll('li.schedule').length").asInt())
        .isEqualTo(205);
    names.forEach(name -> visit.send("DELETE", "schedules/" + name, "", "If-Match", "*"));
  }

  @Test
  void oneIsMadeWhileItsNextRunsAreSeen(Visit visit) {
    Page page = visit.open("#/schedules").press("New schedule").awaitText("Create schedule");
    page.type("[name=recurrence]", "sometimes").awaitText("a recurrence must read");
    page.type("[name=recurrence]", "yearly 12-24 09:00 in Europe/Madrid");
    page.awaitThat("document.querySelector('.preview').innerText.includes('24 Dec')");
    page.type("[name=name]", "nightly").type("[name=url]", visit.target("/ok/nightly"));
    page.type("[name=body]", "{\"a\": 12345678901234567890}");
    page.type("[name=headers]", "X-A: b\nAccept: c").press("Create schedule");
    page.awaitThat("location.hash === '#/schedules/nightly'").awaitText("Created nightly");
    page.awaitText("\"a\": 12345678901234567890");
    var target = visit.get("schedules/nightly?body=text").get("target");
    assertThat(target.get("text").asString()).isEqualTo("{\"a\": 12345678901234567890}");
    assertThat(target.get("contentType").asString()).isEqualTo("application/json");
    assertThat(target.at("/headers/Accept").asString()).isEqualTo("c");
    page.open(visit.address("#/new-schedule"));
    page.type("[name=name]", "nightly").type("[name=url]", visit.target("/ok"));
    page.press("Create schedule").awaitText("A schedule with this name already exists");
  }

  @Test
  void changesShownVersionAndKeepsHiddenFields(Visit visit) {
    visit.send("PUT", "schedules/kept", SECRET.formatted(visit.target("/ok/kept")));
    Page page = visit.open("#/schedules/kept").awaitText("Next runs").press("Edit");
    page.awaitText("Edit kept").type("[name=queue]", "other");
    visit.send("POST", "schedules/kept:pause", "", "If-Match", "*");
    page.press("Save schedule").awaitText("It changed since you loaded it").press("Reload");
    page.awaitThat("document.querySelector('[name=queue]')?.value === 'default'");
    page.type("[name=queue]", "other").press("Save schedule").awaitText("Saved kept");
    var schedule = visit.get("schedules/kept");
    assertThat(schedule.get("queue").asString()).isEqualTo("other");
    assertThat(schedule.get("misfire").asString()).isEqualTo("fire_once");
    assertThat(schedule.get("misfireThreshold").asString()).isEqualTo("PT1M");
    assertThat(schedule.get("orderingKey").asString()).isEqualTo("o");
    assertThat(schedule.get("paused").asBoolean()).isTrue();
  }

  @Test
  void changeKeepsHiddenValuesAndLargeNumbers(Visit visit) {
    visit.send("PUT", "schedules/secretive", SECRET.formatted(visit.target("/ok/secretive")));
    Page page = visit.open("#/schedules/secretive/edit").awaitText("Edit secretive");
    page.awaitThat("document.querySelector('[name=url]').value.includes('?sig=[redacted]&page=2')");
    assertThat(page.evaluate("document.querySelector('form').innerText").asString())
        .doesNotContain("super-secret");
    page.type("[name=tags]", "changed").press("Save schedule").awaitText("Saved secretive");
    page.press("Trigger now").awaitText("Trigger secretive now?").press("Trigger schedule");
    CallTarget.Received call = awaitCall(visit, "/ok/secretive", 1);
    assertThat(call.uri()).isEqualTo("/ok/secretive?sig=abc%20def&page=2");
    assertThat(call.headers()).containsEntry("X-authorization", List.of("Bearer super-secret"));
    assertThat(call.headers()).containsEntry("Cookie", List.of("a=1", "b=2"));
    assertThat(call.headers()).containsEntry("Accept", List.of("text/csv"));
    assertThat(call.body()).isEqualTo("{\"n\":12345678901234567890,\"f\":1.10}");

    // a new value for one, the others as they are
    page.open(visit.address("#/schedules/secretive/edit"));
    page.awaitText("Edit secretive");
    page.type(
        "[name=headers]",
        "Accept: text/plain\nCookie: [redacted]\nCookie: [redacted]\nX-Authorization: Basic new");
    page.type("[name=body]", "{\"n\": 12345678901234567891}").press("Save schedule");
    page.awaitText("Saved secretive").press("Trigger now").awaitText("Trigger secretive now?");
    page.press("Trigger schedule");
    call = awaitCall(visit, "/ok/secretive", 2);
    assertThat(call.uri()).isEqualTo("/ok/secretive?sig=abc%20def&page=2");
    assertThat(call.headers()).containsEntry("X-authorization", List.of("Basic new"));
    assertThat(call.headers()).containsEntry("Cookie", List.of("a=1", "b=2"));
    assertThat(call.body()).isEqualTo("{\"n\": 12345678901234567891}");
  }

  @Test
  void aMaskThatIsNoLongerInItsPlaceIsRefused(Visit visit) {
    visit.send("PUT", "schedules/masked", SECRET.formatted(visit.target("/ok/masked")));
    Page page = visit.open("#/schedules/masked/edit").awaitText("Edit masked");
    page.type("[name=url]", visit.target("/ok/elsewhere") + "?sig=[redacted]")
        .press("Save schedule");
    page.awaitText("'target.url': contains [redacted]");
    page.open(visit.address("#/schedules/masked/edit"));
    page.awaitText("Edit masked")
        .type("[name=headers]", "X-Other: [redacted]")
        .press("Save schedule");
    page.awaitText("'target.headers.X-Other': contains [redacted]");
    assertThat(visit.get("schedules/masked").get("version").asInt()).isEqualTo(1);
  }

  private static CallTarget.Received awaitCall(Visit visit, String path, int count) {
    await().atMost(Duration.ofSeconds(40)).until(() -> visit.received(path).size() == count);
    return visit.received(path).get(count - 1);
  }

  @Test
  void confirmsPauseTriggerAndDelete(Visit visit) {
    visit.schedule("steps");
    Page page = visit.open("#/schedules/steps").awaitText("Next runs").press("Pause");
    page.awaitText("Pause steps?")
        .press("Pause schedule")
        .awaitText("Paused steps")
        .awaitText("Resume");
    assertThat(visit.get("schedules/steps").get("paused").asBoolean()).isTrue();
    page.press("Trigger now").awaitText("Trigger steps now?").press("Trigger schedule");
    awaitCall(visit, "/ok/steps", 1);
    page.press("Delete").awaitText("Delete steps?").press("Cancel").awaitGone("Delete steps?");
    page.press("Delete").awaitText("Delete steps?").press("Delete schedule");
    page.awaitThat("location.hash === '#/schedules'").awaitText("Deleted steps");
  }

  @Test
  void oneOfTheListIsPausedAsItIsNow(Visit visit) {
    visit.schedule("of-the-list");
    Page page = visit.open("#/schedules").awaitText("of-the-list");
    visit.send(
        "PUT",
        "schedules/of-the-list",
        "{\"recurrence\":\"daily 09:00 in UTC\",\"target\":{\"url\":\""
            + visit.target("/ok")
            + "\"}}",
        "If-Match",
        "*");
    page.press("Pause of-the-list").awaitText("Pause of-the-list?").press("Pause schedule");
    page.awaitText("Paused of-the-list");
    assertThat(visit.get("schedules/of-the-list").get("paused").asBoolean()).isTrue();
  }

  @Test
  void withoutAnyTheFirstIsOffered(Visit visit) {
    visit.openEmpty("#/schedules").awaitText("No schedules yet").press("New schedule");
    visit.page().awaitText("every day at 09:00");
  }
}
