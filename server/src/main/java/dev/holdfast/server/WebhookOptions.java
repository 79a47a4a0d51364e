package dev.holdfast.server;

import dev.holdfast.internal.Require;
import dev.holdfast.web.webhook.DeliveryMemory;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What webhooks may be, and how many are delivered at a time. */
final class WebhookOptions {
  @Option(
      names = "--allow",
      paramLabel = "TARGET",
      split = ",",
      description =
          "what webhooks may reach although it is not on the public internet: a block"
              + " (10.1.0.0/16), an address (10.1.2.3) or a name (hooks.internal), the latter two"
              + " also with a port (hooks.internal:8443, [::1]:8080); several with commas"
              + " (default: none)")
  List<String> allow = List.of();

  @Option(
      names = "--https-only",
      description = "refuse webhooks by http (default: both http and https)")
  boolean httpsOnly;

  @Option(
      names = "--max-request-timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "how long a webhook may take at most (default: ${DEFAULT-VALUE})")
  int maxRequestTimeout;

  @Option(
      names = "--max-body-size",
      paramLabel = "KIB",
      defaultValue = "256",
      description = "how large the body of a webhook may be, in KiB (default: ${DEFAULT-VALUE})")
  int maxBodySize;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "*",
      description =
          "the queues that this server works on, several with commas, or * for every queue. Events"
              + " in queues that no server works on wait (default: ${DEFAULT-VALUE})")
  List<String> queues = List.of();

  @Option(
      names = "--concurrency",
      paramLabel = "COUNT",
      description =
          "how many webhooks are in flight at once from this server; refused where the heap (-Xmx)"
              + " is too small for them (default: 2000, or what fits into the heap)")
  @Nullable Integer concurrency;

  @Option(
      names = "--max-concurrency-per-target",
      paramLabel = "COUNT",
      defaultValue = "64",
      description =
          "how many of them one target gets at a time, by host and port (default:"
              + " ${DEFAULT-VALUE})")
  int maxConcurrencyPerTarget;

  @Option(
      names = "--circuit-max-wait",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "how long a target that fails is left alone at most before it is tried again (default:"
              + " ${DEFAULT-VALUE})")
  int circuitMaxWait;

  @Option(
      names = "--retention",
      paramLabel = "DAYS",
      defaultValue = "7",
      description =
          "how long ended events and their attempts are kept; the same for all servers (default:"
              + " ${DEFAULT-VALUE})")
  int retention;

  /** Refuses what cannot be, before anything is started. */
  void check() {
    Require.between(maxRequestTimeout, 1, 3600, "max-request-timeout");
    Require.between(maxBodySize, 1, 64 * 1024, "max-body-size");
    if (concurrency != null) {
      Require.between(concurrency, 1, 8000, "concurrency");
    }
    DeliveryMemory.concurrency(concurrency, Runtime.getRuntime().maxMemory());
    Require.between(maxConcurrencyPerTarget, 1, 10_000, "max-concurrency-per-target");
    Require.between(circuitMaxWait, 1, 86_400, "circuit-max-wait");
    Require.between(retention, 1, 3653, "retention");
  }

  void addTo(Map<String, Object> settings) {
    String prefix = "holdfast.web.webhook.";
    if (!allow.isEmpty()) {
      settings.put(prefix + "allow", String.join(",", allow));
    }
    settings.put(prefix + "https-only", httpsOnly);
    settings.put(prefix + "max-request-timeout", maxRequestTimeout + "s");
    settings.put(prefix + "max-body-size", maxBodySize + "KB");
    settings.put(prefix + "queues", String.join(",", queues));
    if (concurrency != null) {
      settings.put(prefix + "concurrency", concurrency);
    }
    settings.put(prefix + "max-concurrency-per-target", maxConcurrencyPerTarget);
    settings.put(prefix + "circuit-max-wait", circuitMaxWait + "s");
    settings.put("holdfast.worker.retention", retention + "d");
  }
}
