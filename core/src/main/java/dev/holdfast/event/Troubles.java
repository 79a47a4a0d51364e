package dev.holdfast.event;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** What a worker tried last without success, by what it was doing. Thread-safe. */
final class Troubles {
  private final Map<String, String> now = new ConcurrentSkipListMap<>();

  /** Answers whether it worked before, so that there is news. */
  boolean failed(String doing, Throwable failure) {
    return now.put(doing, RetryPolicy.text(failure)) == null;
  }

  /** It works, or does so again. */
  void over(String doing) {
    if (!now.isEmpty()) {
      now.remove(doing);
    }
  }

  List<String> now() {
    return now.entrySet().stream().map(one -> one.getKey() + ": " + one.getValue()).toList();
  }
}
