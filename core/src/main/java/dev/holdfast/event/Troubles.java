package dev.holdfast.event;

import dev.holdfast.sql.CommitUnknownException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** What a worker tried last without success, by what it was doing. Thread-safe. */
final class Troubles {
  private final Map<String, String> now = new ConcurrentSkipListMap<>();

  /** Answers whether it worked before, so that there is news. */
  boolean failed(String doing, Throwable failure) {
    String text = isUnknown(failure) ? text(failure) : RetryPolicy.text(failure);
    return now.put(doing, text) == null;
  }

  /**
   * A failure of the engine as it is logged. Where the answer to a commit was lost, the engine
   * itself finds out what became of it; the exception's advice is for those who commit themselves.
   */
  static String text(Throwable failure) {
    return isUnknown(failure)
        ? "the answer of the database was lost; the worker finds out by itself what became of it: "
            + failure.getCause()
        : failure.toString();
  }

  private static boolean isUnknown(Throwable failure) {
    return failure instanceof CommitUnknownException;
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
