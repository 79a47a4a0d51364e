package dev.holdfast.redis;

import dev.holdfast.StoreException;
import dev.holdfast.cache.CacheStore;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.protocol.CommandArgs;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Cached values in Redis, by scripts of one round trip. Needs {@code holdfast-cache}.
 *
 * <p>Redis forgets by itself: a value when it is over, its token and its last invalidation {@link
 * CacheStore#MEMORY} after that. What it loses, because it is flushed, restarted without its data,
 * or a replica takes over that does not have it yet, was never there: an invalidation, too. What
 * was loaded before a flush is refused after it: generations are made of the server's clock, so
 * that they do not repeat, and where there was none, this process knows in which life of Redis it
 * has looked. But a value that was invalidated may come back where a replica still had it.
 *
 * <p>Make one store per Redis and keep it. It has one connection that all threads share, and one
 * more to hear of changes, while somebody listens; {@link #close} closes both. The client stays the
 * caller's, to be shut down afterwards. Thread-safe.
 */
public final class RedisCacheStore implements CacheStore, AutoCloseable {
  private static final RedisErrors ERRORS = new RedisErrors("cache-store");

  private final RedisConnections link;
  private final CacheKeys keys;
  private final Duration timeout;
  private final CacheNotifications news;
  private final CacheEpochs lives = new CacheEpochs();

  private RedisCacheStore(RedisConnections link, RedisCacheOptions options) {
    this.link = link;
    this.keys = new CacheKeys(options.prefix());
    this.timeout = options.timeout();
    this.news = new CacheNotifications(link::listen, keys, timeout);
  }

  /** In one Redis, or in one that Sentinel watches, as the client's URI says. */
  public static RedisCacheStore using(RedisClient client) {
    return using(client, RedisCacheOptions.DEFAULTS);
  }

  /**
   * In one Redis, or in one that Sentinel watches, as the client's URI says.
   *
   * @throws StoreException where it cannot be connected to
   */
  public static RedisCacheStore using(RedisClient client, RedisCacheOptions options) {
    return connect(Require.notNull(client, "the client"), ServerConnections::new, options);
  }

  /** In a cluster. */
  public static RedisCacheStore using(RedisClusterClient client) {
    return using(client, RedisCacheOptions.DEFAULTS);
  }

  /**
   * In a cluster. The client should refresh its view of the cluster by itself ({@code
   * ClusterTopologyRefreshOptions}, periodic and adaptive), or it does not find new masters.
   *
   * @throws StoreException where it cannot be connected to
   */
  public static RedisCacheStore using(RedisClusterClient client, RedisCacheOptions options) {
    return connect(Require.notNull(client, "the client"), ClusterConnections::new, options);
  }

  private static <C> RedisCacheStore connect(
      C client, Function<C, RedisConnections> connecting, RedisCacheOptions options) {
    Require.notNull(options, "the options");
    try {
      return new RedisCacheStore(RedisConnections.connect(client, connecting), options);
    } catch (RedisException e) {
      throw ERRORS.noConnection(e);
    }
  }

  @Override
  public Found get(String name) {
    return found(name, call(Script.CACHE_LOOK, "reading the cached value of", name, args -> {}));
  }

  @Override
  public Found watch(String name, Duration mark) {
    return found(
        name,
        call(
            Script.CACHE_WATCH,
            "waiting for the cached value of",
            name,
            args -> args.add(Math.max(1, mark.toMillis()))));
  }

  /** Reads what cache-look.lua answers. */
  private Found found(String name, ScriptCall call) {
    List<Object> answer = call.list(link.shared(), timeout);
    long generation = (Long) answer.get(0);
    if (generation == 0) {
      lives.looked(name, (byte[]) answer.get(1));
    }
    if (answer.size() == 2) {
      return new Found(generation, null);
    }
    long token = ByteBuffer.wrap((byte[]) answer.get(2)).getLong();
    byte[] body = (byte[]) answer.get(5);
    return new Found(
        generation, new Entry(body, token, micros(answer.get(3)), micros(answer.get(4))));
  }

  @Override
  public boolean put(Value value) {
    long kept = micros(value.keepFor());
    long keptMillis = (kept + 999) / 1000;
    byte[] life = value.generation() == 0 ? lives.take(value.name()) : CacheEpochs.ANY;
    ScriptCall call =
        call(
            Script.CACHE_PUT,
            "caching the value of",
            value.name(),
            args ->
                args.add(value.generation())
                    .add(life)
                    .add(ByteBuffer.allocate(Long.BYTES).putLong(value.token()).array())
                    .add(micros(value.freshFor()))
                    .add(kept)
                    .add(keptMillis)
                    .add(keptMillis + MEMORY.toMillis())
                    .add(value.body()));
    return call.number(link.shared(), timeout) == 1;
  }

  @Override
  public void invalidate(String name) {
    call(
            Script.CACHE_INVALIDATE,
            "invalidating the cached value of",
            name,
            args -> args.add(MEMORY.toMillis()))
        .number(link.shared(), timeout);
  }

  @Override
  public void tell(String name) {
    call(Script.CACHE_TELL, "telling of the cached value of", name, args -> {})
        .number(link.shared(), timeout);
  }

  @Override
  public Subscription subscribe(Listener listener) {
    return news.subscribe(Require.notNull(listener, "the listener"));
  }

  /** Closes its connections; the client stays open. */
  @Override
  public void close() {
    news.close();
    link.close();
  }

  private ScriptCall call(
      Script script, String doing, String name, Consumer<CommandArgs<byte[], byte[]>> arguments) {
    return new ScriptCall(script, doing, new Named(name), keys.state(name), arguments, ERRORS);
  }

  /** Says it only where something fails. */
  private record Named(String name) {
    @Override
    public String toString() {
      return Excerpt.quoted(name);
    }
  }

  private static long micros(Duration duration) {
    return TimeUnit.MICROSECONDS.convert(duration);
  }

  private static Duration micros(Object number) {
    return Duration.ofNanos((Long) number * 1000);
  }
}
