package dev.holdfast.server.remote;

import dev.holdfast.server.remote.Remote.Answer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Looks at the events of a running service, makes new ones and changes them. */
@Command(
    name = "events",
    description = "list, show, create, cancel, run and replay events of a running service",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "(list | show | create | cancel | run | replay)")
public final class EventsCommand implements Runnable {
  private static final String EVENTS = "/v1/events";

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }

  @Command(
      name = "list",
      description = "list events, the newest first",
      mixinStandardHelpOptions = true)
  void list(
      @Mixin Remote service,
      @Mixin FilterOptions filter,
      @Option(names = "--key", paramLabel = "KEY", description = "those with this key")
          @Nullable String key,
      @Option(
              names = "--limit",
              paramLabel = "COUNT",
              defaultValue = "50",
              description = "how many at most (default: ${DEFAULT-VALUE})")
          int limit,
      @Option(
              names = "--cursor",
              paramLabel = "ID",
              description = "the next page, as printed at the end of the previous one")
          @Nullable String cursor) {
    Query query = filter.query().and("key", key).and("limit", limit).and("cursor", cursor);
    JsonNode answer = service.get(EVENTS + query).body();
    if (service.printed(answer)) {
      return;
    }
    Table table = new Table("ID", "STATUS", "DUE", "QUEUE", "ATTEMPTS", "TARGET", "ERROR");
    for (JsonNode event : answer.path("items")) {
      table.row(
          event.path("id"),
          event.path("status"),
          event.path("dueAt"),
          event.path("queue"),
          event.path("attempts"),
          target(event),
          event.path("error"));
    }
    table.print(System.out);
    if (answer.has("next")) {
      System.out.println("… more: --cursor " + answer.path("next").asString());
    }
  }

  @Command(
      name = "show",
      description = "show an event and every attempt",
      mixinStandardHelpOptions = true)
  void show(@Mixin Remote service, @Parameters(paramLabel = "ID|KEY") String idOrKey) {
    print(service, service.get(one(idOrKey)).body());
  }

  @Command(
      name = "create",
      description = "create an event that calls a URL",
      mixinStandardHelpOptions = true)
  void create(
      @Mixin Remote service,
      @Mixin TargetOptions target,
      @Parameters(paramLabel = "URL") String url,
      @Option(names = "--at", paramLabel = "TIME", description = "such as 2026-12-24T18:00:00Z")
          @Nullable String at,
      @Option(names = "--delay", paramLabel = "TIME", description = "such as 90s, 10m, 2h, 1d")
          @Nullable String delay,
      @Option(
              names = "--deadline",
              paramLabel = "TIME",
              description = "cancel the event if it has not started by this time")
          @Nullable String deadline,
      @Option(
              names = "--key",
              paramLabel = "KEY",
              description = "deduplication key: repeated requests create one event")
          @Nullable String key) {
    Map<String, @Nullable Object> event = target.members(url);
    event.put("at", at);
    event.put("delay", delay);
    event.put("deadline", deadline);
    event.values().removeIf(value -> value == null);
    Answer answer =
        key == null ? service.post(EVENTS, event) : service.send("PUT", one(key), event, "");
    print(service, answer.body());
  }

  @Command(
      name = "cancel",
      description = "cancel an event that has not ended",
      mixinStandardHelpOptions = true)
  void cancel(
      @Mixin Remote service,
      @Parameters(paramLabel = "ID|KEY") String idOrKey,
      @Option(names = "--reason", paramLabel = "TEXT") @Nullable String reason) {
    print(
        service,
        change(service, idOrKey, ":cancel", reason == null ? Map.of() : Map.of("reason", reason)));
  }

  @Command(
      name = "run",
      description = "make a pending event due now",
      mixinStandardHelpOptions = true)
  void runNow(@Mixin Remote service, @Parameters(paramLabel = "ID|KEY") String idOrKey) {
    print(service, change(service, idOrKey, ":run", null));
  }

  @Command(
      name = "replay",
      description = {
        "replay an ended event as a new event;",
        "with --all, count the ended events that match the filter, and replay them with --yes"
      },
      mixinStandardHelpOptions = true)
  void replay(
      @Mixin Remote service,
      @Parameters(paramLabel = "ID|KEY", arity = "0..1") @Nullable String idOrKey,
      @Option(names = "--all", description = "all ended events that match the filter") boolean all,
      @Mixin FilterOptions filter,
      @Option(names = "--yes", description = "with --all: replay them instead of counting them")
          boolean yes) {
    if (all ? idOrKey != null : idOrKey == null || yes || !filter.members().isEmpty()) {
      throw new RemoteException("events replay needs either ID|KEY, or --all with a filter");
    }
    if (!all) {
      print(service, change(service, String.valueOf(idOrKey), ":replay", null));
      return;
    }
    JsonNode answer =
        service
            .post("/v1/events:replay", Map.of("filter", filter.members(), "dryRun", !yes))
            .body();
    if (!service.printed(answer)) {
      String count = answer.path("count").asString("");
      System.out.println(
          yes ? "replayed: " + count : "would replay: " + count + "; repeat with --yes to do it");
    }
  }

  private static JsonNode change(
      Remote service, String idOrKey, String verb, @Nullable Object body) {
    Answer seen = service.get(one(idOrKey));
    String path = EVENTS + "/" + seen.body().path("id").asString() + verb;
    return service.send("POST", path, body, seen.etag()).body();
  }

  private static void print(Remote service, JsonNode event) {
    if (service.printed(event)) {
      return;
    }
    Table facts = new Table("event", event.path("id").asString());
    for (String name :
        List.of("status", "key", "queue", "dueAt", "endedAt", "attempts", "error", "replayedAs")) {
      if (event.has(name)) {
        facts.row(name, event.path(name));
      }
    }
    facts.row("target", target(event));
    facts.print(System.out);
    JsonNode attempts = event.path("attemptLog");
    if (!attempts.isEmpty()) {
      System.out.println();
      Table table = new Table("ATTEMPT", "AT", "TOOK", "STATUS", "OUTCOME", "INSTANCE", "ERROR");
      for (JsonNode attempt : attempts) {
        table.row(
            attempt.path("number"),
            attempt.path("at"),
            attempt.path("duration"),
            attempt.path("status"),
            attempt.path("outcome"),
            attempt.path("instance"),
            attempt.path("error"));
      }
      table.print(System.out);
    }
  }

  private static String target(JsonNode event) {
    JsonNode target = event.path("target");
    return target.isMissingNode()
        ? event.path("type").asString("")
        : target.path("method").asString("") + " " + target.path("url").asString("");
  }

  private static String one(String idOrKey) {
    return EVENTS + "/" + Remote.encoded(idOrKey);
  }
}
