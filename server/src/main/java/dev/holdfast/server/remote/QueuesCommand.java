package dev.holdfast.server.remote;

import dev.holdfast.server.remote.Remote.Answer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Looks at the queues of a running service, pauses and limits them. */
@Command(
    name = "queues",
    description = "list, pause, resume and limit queues of a running service",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "(list | show | pause | resume | limit)")
public final class QueuesCommand implements Runnable {
  private static final String QUEUES = "/v1/queues";

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }

  @Command(
      name = "list",
      description = "list queues and what waits in them",
      mixinStandardHelpOptions = true)
  void list(@Mixin Remote service) {
    JsonNode answer = service.get(QUEUES).body();
    if (!service.printed(answer)) {
      Table table = table();
      answer.path("items").forEach(queue -> add(table, queue));
      table.print(System.out);
    }
  }

  @Command(name = "show", description = "show one queue", mixinStandardHelpOptions = true)
  void show(@Mixin Remote service, @Parameters(paramLabel = "NAME") String name) {
    print(service, service.get(one(name)));
  }

  @Command(
      name = "pause",
      description = "take nothing more from a queue, on no instance",
      mixinStandardHelpOptions = true)
  void pause(@Mixin Remote service, @Parameters(paramLabel = "NAME") String name) {
    print(service, service.post(one(name) + ":pause", null));
  }

  @Command(name = "resume", description = "resume a queue", mixinStandardHelpOptions = true)
  void resume(@Mixin Remote service, @Parameters(paramLabel = "NAME") String name) {
    print(service, service.post(one(name) + ":resume", null));
  }

  @Command(
      name = "limit",
      description =
          "limit how many events of a queue run at once, or in a time; show the limits without"
              + " options",
      mixinStandardHelpOptions = true)
  void limit(
      @Mixin Remote service,
      @Parameters(paramLabel = "NAME") String name,
      @Option(names = "--max-concurrency", paramLabel = "COUNT", description = "how many at once")
          @Nullable Integer maxConcurrency,
      @Option(
              names = "--rate-limit",
              paramLabel = "COUNT/TIME",
              description = "such as 10/1s or 500/1h")
          @Nullable String rateLimit,
      @Option(names = "--none", description = "remove its limits") boolean none) {
    if (maxConcurrency == null && rateLimit == null && !none) {
      print(service, service.get(one(name)));
      return;
    }
    Map<String, Object> limits = new LinkedHashMap<>();
    if (maxConcurrency != null) {
      limits.put("maxConcurrency", maxConcurrency);
    }
    if (rateLimit != null) {
      limits.put("rateLimit", rateLimit(rateLimit));
    }
    Map<String, @Nullable Object> change = new LinkedHashMap<>();
    change.put("limits", limits.isEmpty() ? null : limits);
    String etag = service.get(one(name)).etag();
    print(service, service.send("PATCH", one(name), change, etag));
  }

  private static Map<String, Object> rateLimit(String given) {
    String[] parts = given.split("/", -1);
    if (parts.length != 2 || !parts[0].matches("\\d{1,9}")) {
      throw new RemoteException(
          "--rate-limit must be COUNT/TIME, such as 10/1s, was '" + given + "'");
    }
    return Map.of("count", Integer.parseInt(parts[0]), "period", parts[1]);
  }

  private static void print(Remote service, Answer answer) {
    if (!service.printed(answer.body())) {
      Table table = table();
      add(table, answer.body());
      table.print(System.out);
    }
  }

  private static Table table() {
    return new Table("QUEUE", "STATE", "DUE", "PENDING", "PROCESSING", "OLDEST DUE", "LIMITS");
  }

  private static void add(Table table, JsonNode queue) {
    JsonNode limits = queue.path("limits");
    table.row(
        queue.path("name"),
        queue.path("paused").asBoolean() ? "paused" : "running",
        queue.path("due"),
        queue.path("pending"),
        queue.path("processing"),
        queue.path("oldestDueAge"),
        limits.isMissingNode() ? "" : limits.toString());
  }

  private static String one(String name) {
    return QUEUES + "/" + Remote.encoded(name);
  }
}
