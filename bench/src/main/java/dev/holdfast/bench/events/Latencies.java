package dev.holdfast.bench.events;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** How long single events took from being scheduled until their handler started. */
record Latencies(List<Duration> sorted) {
  static Latencies of(Collection<Duration> latencies) {
    return new Latencies(latencies.stream().sorted().toList());
  }

  Duration p50() {
    return quantile(0.50);
  }

  Duration p99() {
    return quantile(0.99);
  }

  /** The smallest latency that this share of all did not exceed. */
  private Duration quantile(double share) {
    return sorted.get((int) Math.ceil(share * sorted.size()) - 1);
  }
}
