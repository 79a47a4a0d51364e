package dev.holdfast.redis;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreException;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the failures of Redis and Lettuce mean, and what to do, as exceptions of those who asked.
 */
final class RedisErrors {
  /** The first word of an answer, and what it means. */
  private static final Map<String, Meaning> ANSWERS =
      Map.ofEntries(
          later(
              "OOM",
              "Redis has no memory left; give it more, and set its maxmemory-policy to"
                  + " noeviction, because others throw leases, records and invalidations away"),
          later(
              "READONLY",
              "this Redis is a replica; if there was a failover, it is over soon,"
                  + " otherwise connect to the master, by Sentinel or by a cluster client"),
          later("LOADING", "Redis has been started and reads its data; it is over soon"),
          later("BUSY", "another script is running in Redis for too long; see SCRIPT KILL"),
          later("MASTERDOWN", "this Redis is a replica that has lost its master"),
          later("NOREPLICAS", "Redis has fewer replicas than its min-replicas-to-write demands"),
          later("CLUSTERDOWN", "the cluster has slots without a master; see CLUSTER INFO"),
          later("TRYAGAIN", "slots of the cluster are being moved"),
          later(
              "MOVED",
              "slots of the cluster were moved, and the client did not find them;"
                  + " switch on its topology refresh (ClusterTopologyRefreshOptions), or use a"
                  + " RedisClusterClient where it is none"),
          later(
              "ASK",
              "slots of the cluster are being moved, and the client is none for clusters;"
                  + " use a RedisClusterClient"),
          later(
              "MISCONF",
              "Redis takes no writes because it cannot save its data to disk; see its" + " log"),
          later("UNKILLABLE", "another script is running in Redis for too long"),
          never("NOAUTH", "Redis wants a password; give it in the RedisURI"),
          never("WRONGPASS", "Redis does not accept the user or the password of the RedisURI"),
          never(
              "NOPERM",
              "the user may not do this; it needs ~prefix:* &prefix:*, and +evalsha"
                  + " +eval +subscribe +publish +scan +wait and what the scripts call"),
          never("CROSSSLOT", "the keys of one name are not in one slot, which must not be"),
          never(
              "WRONGTYPE", "keys with this prefix are used by somebody else; use another prefix"));

  private record Meaning(String text, boolean later) {}

  static final RedisErrors OF_LEASES = new RedisErrors("lease-store");
  static final RedisErrors OF_IDEMPOTENCY = new RedisErrors("idempotency-store");

  private final String code;

  RedisErrors(String code) {
    this.code = code;
  }

  private StoreException failed(
      String doing, String why, boolean retryable, @Nullable Throwable cause) {
    return new StoreException(code, doing, why, retryable, cause);
  }

  HoldfastException timedOut(String doing, Duration timeout) {
    return failed(
        doing,
        "Redis did not answer within "
            + timeout
            + ", so that it may have worked or not. Is it running, and to be reached from here? If"
            + " so, and this is often, look for slow commands (SLOWLOG GET) and for pauses, or"
            + " raise the timeout in its options",
        true,
        null);
  }

  HoldfastException tooFewReplicas(String doing, String why) {
    return failed(doing, why, true, null);
  }

  /** Nothing was sent yet. */
  HoldfastException noConnection(Throwable cause) {
    Throwable answer = answer(cause);
    if (answer instanceof RedisCommandExecutionException) {
      return failure("connecting to Redis", cause);
    }
    Throwable reason = answer;
    while (reason.getCause() != null) {
      reason = reason.getCause();
    }
    return failed(
        "connecting to Redis",
        "is it running, and to be reached from here? " + reason.getMessage(),
        true,
        cause);
  }

  /** It was lost, and is not back yet. */
  HoldfastException cut(String doing) {
    return failed(
        doing,
        "there is no connection to Redis, so that nothing was done. Is it running, and to be"
            + " reached from here?",
        true,
        null);
  }

  /** The client was shut down before the store. */
  HoldfastException closed(String doing, Throwable cause) {
    return failed(
        doing, "the store or its Redis client is closed: " + cause.getMessage(), false, cause);
  }

  HoldfastException failure(String doing, Throwable cause) {
    Throwable answer = answer(cause);
    String message = answer.getMessage();
    if (answer instanceof RedisCommandExecutionException) {
      Meaning meaning = meaning(message);
      return meaning == null
          ? failed(doing, "Redis answered '" + message + "'", false, cause)
          : failed(
              doing, meaning.text + " (Redis answered '" + message + "')", meaning.later, cause);
    }
    if (message != null && message.toLowerCase(Locale.ROOT).contains("is closed")) {
      return closed(doing, answer);
    }
    return failed(
        doing,
        "there is no connection to Redis, or it was lost, so that it may have worked or not: "
            + message,
        true,
        cause);
  }

  /**
   * What Redis answered, which may be wrapped, such as while connecting; else the failure itself.
   */
  private static Throwable answer(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof RedisCommandExecutionException) {
        return cause;
      }
    }
    return failure;
  }

  private static @Nullable Meaning meaning(@Nullable String message) {
    if (message == null) {
      return null;
    }
    // an error inside a script may have other words before it
    int end = message.indexOf(' ');
    Meaning first = ANSWERS.get(end < 0 ? message : message.substring(0, end));
    if (first != null) {
      return first;
    }
    for (Map.Entry<String, Meaning> answer : ANSWERS.entrySet()) {
      if (message.contains("-" + answer.getKey() + " ")
          || message.contains(": " + answer.getKey() + " ")) {
        return answer.getValue();
      }
    }
    return null;
  }

  private static Map.Entry<String, Meaning> later(String word, String text) {
    return Map.entry(word, new Meaning(text, true));
  }

  private static Map.Entry<String, Meaning> never(String word, String text) {
    return Map.entry(word, new Meaning(text, false));
  }
}
