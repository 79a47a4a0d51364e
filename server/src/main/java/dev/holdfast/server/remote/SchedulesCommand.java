package dev.holdfast.server.remote;

import dev.holdfast.schedule.OverlapPolicy;
import dev.holdfast.server.remote.Remote.Answer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Looks at the schedules of a running service, defines and changes them. */
@Command(
    name = "schedules",
    description = "list, show, put, pause, resume, trigger, delete and preview schedules",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "(list | show | put | pause | resume | trigger | delete | preview)")
public final class SchedulesCommand implements Runnable {
  private static final String SCHEDULES = "/v1/schedules";
  private static final String RECURRENCE =
      "such as \"cron 0 9 * * 1-5 in Europe/Madrid\", \"daily 09:00 in UTC\", \"weekly MON,FRI"
          + " 09:00 in UTC\" or \"every PT10M since 2026-01-01T00:00:00Z\"";

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }

  @Command(name = "list", description = "list schedules by name", mixinStandardHelpOptions = true)
  void list(
      @Mixin Remote service,
      @Option(
              names = "--cursor",
              paramLabel = "NAME",
              description = "the next page, as printed at the end of the previous one")
          @Nullable String cursor) {
    JsonNode answer = service.get(SCHEDULES + new Query().and("cursor", cursor)).body();
    if (service.printed(answer)) {
      return;
    }
    Table table = new Table("NAME", "RECURRENCE", "NEXT", "LAST", "TARGET");
    for (JsonNode schedule : answer.path("items")) {
      table.row(
          schedule.path("name"),
          schedule.path("recurrence"),
          next(schedule),
          schedule.path("lastFireAt"),
          schedule.path("target").path("url"));
    }
    table.print(System.out);
    if (answer.has("next")) {
      System.out.println("… more: --cursor " + answer.path("next").asString());
    }
  }

  @Command(
      name = "show",
      description = "show a schedule and its next runs",
      mixinStandardHelpOptions = true)
  void show(@Mixin Remote service, @Parameters(paramLabel = "NAME") String name) {
    print(service, service.get(one(name)).body());
  }

  @Command(
      name = "put",
      description = "define a schedule, new or in place of the one of this name",
      mixinStandardHelpOptions = true)
  void put(
      @Mixin Remote service,
      @Mixin TargetOptions target,
      @Parameters(paramLabel = "NAME") String name,
      @Parameters(paramLabel = "RECURRENCE", description = RECURRENCE) String recurrence,
      @Parameters(paramLabel = "URL") String url,
      @Option(
              names = "--misfire",
              paramLabel = "WHAT",
              description = "skip, fire_once or catch_up:N")
          @Nullable String misfire,
      @Option(
              names = "--overlap",
              paramLabel = "WHAT",
              description = "while one has not ended: ${COMPLETION-CANDIDATES}")
          @Nullable OverlapPolicy overlap,
      @Option(names = "--jitter", paramLabel = "TIME", description = "spread runs by up to this")
          @Nullable String jitter) {
    Map<String, @Nullable Object> schedule = target.members(url);
    schedule.put("recurrence", recurrence);
    schedule.put("misfire", misfire);
    schedule.put("overlap", overlap);
    schedule.put("jitter", jitter);
    schedule.values().removeIf(value -> value == null);
    print(service, service.send("PUT", one(name), schedule, service.etag(one(name))).body());
  }

  @Command(name = "pause", description = "pause a schedule", mixinStandardHelpOptions = true)
  void pause(@Mixin Remote service, @Parameters(paramLabel = "NAME") String name) {
    print(service, change(service, "POST", name, ":pause").body());
  }

  @Command(name = "resume", description = "resume a schedule", mixinStandardHelpOptions = true)
  void resume(@Mixin Remote service, @Parameters(paramLabel = "NAME") String name) {
    print(service, change(service, "POST", name, ":resume").body());
  }

  @Command(
      name = "trigger",
      description = "make an extra event of a schedule now",
      mixinStandardHelpOptions = true)
  void trigger(@Mixin Remote service, @Parameters(paramLabel = "NAME") String name) {
    JsonNode answer = service.post(one(name) + ":trigger", null).body();
    if (!service.printed(answer)) {
      System.out.println("event " + answer.path("event").asString());
    }
  }

  @Command(
      name = "delete",
      description = "delete a schedule; its events stay",
      mixinStandardHelpOptions = true)
  void delete(@Mixin Remote service, @Parameters(paramLabel = "NAME") String name) {
    change(service, "DELETE", name, "");
    if (!service.json) {
      System.out.println("schedule " + Table.clean(name) + " is deleted");
    }
  }

  @Command(
      name = "preview",
      description = "tell when a recurrence would run, without defining anything",
      mixinStandardHelpOptions = true)
  void preview(
      @Mixin Remote service,
      @Parameters(paramLabel = "RECURRENCE", description = RECURRENCE) String recurrence,
      @Option(
              names = "--count",
              paramLabel = "COUNT",
              defaultValue = "10",
              description = "(default: ${DEFAULT-VALUE})")
          int count) {
    JsonNode answer =
        service
            .post(SCHEDULES + ":preview", Map.of("recurrence", recurrence, "count", count))
            .body();
    if (!service.printed(answer)) {
      answer.path("next").forEach(time -> System.out.println(time.asString()));
    }
  }

  private static Answer change(Remote service, String method, String name, String verb) {
    Answer seen = service.get(one(name));
    return service.send(method, one(name) + verb, null, seen.etag());
  }

  private static void print(Remote service, JsonNode schedule) {
    if (service.printed(schedule)) {
      return;
    }
    Map<String, Object> facts = new LinkedHashMap<>();
    for (String name :
        List.of("recurrence", "queue", "misfire", "overlap", "lastFireAt", "lastEvent")) {
      facts.put(name, schedule.path(name));
    }
    Table table = new Table("schedule", schedule.path("name").asString());
    facts.forEach(table::row);
    table.row("target", schedule.path("target").path("url"));
    table.row("paused", schedule.path("paused"));
    schedule.path("next").forEach(time -> table.row("next", time));
    table.print(System.out);
  }

  private static Object next(JsonNode schedule) {
    return schedule.path("paused").asBoolean() ? "paused" : schedule.path("nextFireAt");
  }

  private static String one(String name) {
    return SCHEDULES + "/" + Remote.encoded(name);
  }
}
