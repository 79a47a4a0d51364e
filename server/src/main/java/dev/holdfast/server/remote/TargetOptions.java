package dev.holdfast.server.remote;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** What is to be called, and how: what events and schedules have in common. */
final class TargetOptions {
  @Option(
      names = "--method",
      paramLabel = "METHOD",
      defaultValue = "POST",
      description = "(default: ${DEFAULT-VALUE})")
  String method = "";

  @Option(
      names = {"-H", "--header"},
      paramLabel = "NAME:VALUE",
      description = "a header of the call; may be said more than once")
  List<String> headers = new ArrayList<>();

  @Option(
      names = {"-d", "--data"},
      paramLabel = "TEXT",
      description = "the body: JSON, any other text, or @FILE")
  @Nullable String data;

  @Option(names = "--content-type", paramLabel = "TYPE", description = "the type of the body")
  @Nullable String contentType;

  @Option(names = "--timeout", paramLabel = "TIME", description = "of one attempt, such as 15s")
  @Nullable String timeout;

  @Option(names = "--max-attempts", paramLabel = "COUNT", description = "how many at most")
  @Nullable Integer maxAttempts;

  @Option(names = "--queue", paramLabel = "NAME", description = "(default: default)")
  @Nullable String queue;

  @Option(names = "--priority", paramLabel = "0-9", description = "(default: 5)")
  @Nullable Integer priority;

  @Option(
      names = "--ordering-key",
      paramLabel = "KEY",
      description = "calls with the same one are made one at a time, in due order")
  @Nullable String orderingKey;

  @Option(names = "--tag", paramLabel = "TAG", description = "may be said more than once")
  List<String> tags = new ArrayList<>();

  /** The members of an event or a schedule that calls this address. */
  Map<String, @Nullable Object> members(String url) {
    Map<String, @Nullable Object> target = new LinkedHashMap<>();
    target.put("url", url);
    target.put("method", method);
    target.put("contentType", contentType);
    target.put("headers", headers.isEmpty() ? null : headers());
    if (data != null) {
      body(data, target);
    }
    target.values().removeIf(value -> value == null);
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("target", target);
    members.put("timeout", timeout);
    members.put("retry", maxAttempts == null ? null : Map.of("maxAttempts", maxAttempts));
    members.put("queue", queue);
    members.put("priority", priority);
    members.put("orderingKey", orderingKey);
    members.put("tags", tags.isEmpty() ? null : tags);
    return members;
  }

  private Map<String, List<String>> headers() {
    Map<String, List<String>> found = new LinkedHashMap<>();
    for (String header : headers) {
      int colon = header.indexOf(':');
      if (colon < 1) {
        throw new RemoteException("a header must be NAME:VALUE, was '" + header + "'");
      }
      found
          .computeIfAbsent(header.substring(0, colon), name -> new ArrayList<>())
          .add(header.substring(colon + 1).strip());
    }
    return found;
  }

  private void body(String given, Map<String, @Nullable Object> target) {
    if (given.startsWith("@")) {
      try {
        byte[] bytes = Files.readAllBytes(Path.of(given.substring(1)));
        target.put("base64", Base64.getEncoder().encodeToString(bytes));
        return;
      } catch (IOException e) {
        throw new RemoteException("cannot read the body: " + e);
      }
    }
    JsonNode json = contentType == null ? Remote.parsed(given) : null;
    if (json == null) {
      target.put("text", given);
    } else {
      target.put("body", json);
    }
  }
}
