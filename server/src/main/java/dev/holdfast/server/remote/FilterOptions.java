package dev.holdfast.server.remote;

import dev.holdfast.event.EventStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which events are meant. */
final class FilterOptions {
  @Option(
      names = "--status",
      paramLabel = "STATUS",
      split = ",",
      description = "${COMPLETION-CANDIDATES}; several with commas")
  List<EventStatus> statuses = new ArrayList<>();

  @Option(names = "--queue", paramLabel = "NAME", description = "those of this queue")
  @Nullable String queue;

  @Option(names = "--type", paramLabel = "TYPE", description = "those of this type")
  @Nullable String type;

  @Option(names = "--tag", paramLabel = "TAG", description = "those with this tag")
  @Nullable String tag;

  @Option(names = "--error", paramLabel = "TEXT", description = "those whose error contains this")
  @Nullable String error;

  @Option(names = "--from", paramLabel = "TIME", description = "made at this time or later")
  @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "made before this time")
  @Nullable String to;

  Query query() {
    Query query = new Query();
    statuses.forEach(status -> query.and("status", status));
    members().forEach((name, value) -> query.and(name, name.equals("status") ? null : value));
    return query;
  }

  Map<String, @Nullable Object> members() {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("status", statuses.isEmpty() ? null : statuses);
    members.put("queue", queue);
    members.put("type", type);
    members.put("tag", tag);
    members.put("error", error);
    members.put("createdFrom", from);
    members.put("createdTo", to);
    members.values().removeIf(value -> value == null);
    return members;
  }
}
