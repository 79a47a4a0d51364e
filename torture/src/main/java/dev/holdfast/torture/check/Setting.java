package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The settings of a run, as its history says. */
final class Setting {
  private final Map<String, String> values = new HashMap<>();

  static Setting of(List<Entry> entries) {
    Setting setting = new Setting();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.SETTING) {
        setting.values.put(entry.argument(0), entry.argument(1));
      }
    }
    return setting;
  }

  /** The lease of the instances and of the leases. */
  long leaseNanos() {
    return TimeUnit.MILLISECONDS.toNanos(number("lease-millis", 3000));
  }

  /** How many events of the limited queue may be in process at once. */
  int limit() {
    return (int) number("limit", 3);
  }

  /** How many may hold this lease at once. */
  int capacity(String leaseName) {
    return leaseName.startsWith("permit") ? (int) number("capacity", 2) : 1;
  }

  private long number(String name, long otherwise) {
    return Long.parseLong(values.getOrDefault(name, Long.toString(otherwise)));
  }
}
