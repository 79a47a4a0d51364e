package dev.holdfast.testing;

import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server for tests, started at most once per JVM, when its address is asked for, and
 * stopped with it, however the JVM ends. It keeps nothing on disk.
 *
 * <p>To run tests on another server, give its URL as the system property {@code
 * holdfast.test.redis.url} or the environment variable {@code HOLDFAST_TEST_REDIS_URL}, and if need
 * be {@code ...user} and {@code ...password}. Tests share it: they must use keys of their own.
 *
 * <p>Thread-safe.
 */
public final class TestRedis {

  private static @Nullable URI uri;

  private TestRedis() {}

  /** Where the server is, such as {@code redis://127.0.0.1:41234}; starts it if need be. */
  public static synchronized URI uri() {
    Selection.require("redis");
    if (uri == null) {
      uri = uri(ServerAddress.given("redis").orElseGet(RedisServer::start));
    }
    return uri;
  }

  private static URI uri(ServerAddress address) {
    URI bare = URI.create(address.url());
    if (address.password().isEmpty()) {
      return bare;
    }
    try {
      return new URI(
          bare.getScheme(),
          address.user() + ":" + address.password(),
          bare.getHost(),
          bare.getPort(),
          bare.getPath(),
          bare.getQuery(),
          bare.getFragment());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(
          "holdfast.test.redis.url must be like redis://host:6379, was " + address.url(), e);
    }
  }
}
