package dev.holdfast.web.stats;

import dev.holdfast.web.access.Caller;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Tells all who listen what is to be seen, whenever it changes: it is put together once, and all
 * get the same bytes. One thread serves them all, and rests while nobody listens. It ends before
 * the web server does, so that stopping need not wait for anybody. Thread-safe.
 */
final class StatsStream implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(StatsStream.class);
  private static final long TICK_MILLIS = 1000;
  private static final long QUIET_NANOS = Duration.ofSeconds(15).toNanos();

  private static final long MAX_NANOS = Duration.ofMinutes(10).toNanos();

  /** How often it is looked whether the tokens of those who listen are still valid. */
  private static final long TRUSTED_NANOS = Duration.ofSeconds(5).toNanos();

  private static final byte[] SIGN_OF_LIFE = ":\n\n".getBytes(StandardCharsets.UTF_8);

  private final StatsBoard board;
  private final Supplier<Set<String>> validTokens;
  private final ScheduledExecutorService ticker;
  private final int most;
  private final Set<StreamClient> clients = ConcurrentHashMap.newKeySet();
  private volatile boolean running;
  private volatile @Nullable Future<?> ticking;
  private byte[] last = {};
  private long saidNanos = System.nanoTime();
  private long lookedNanos = System.nanoTime();

  /**
   * @param validTokens the ids of all tokens that are valid
   * @param most how many may listen
   */
  StatsStream(
      StatsBoard board,
      Supplier<Set<String>> validTokens,
      ScheduledExecutorService ticker,
      int most) {
    this.board = board;
    this.validTokens = validTokens;
    this.ticker = ticker;
    this.most = most;
  }

  /** From now on this one listens. */
  void add(HttpServletRequest request, HttpServletResponse response) throws IOException {
    if (!running || clients.size() >= most) {
      throw ProblemType.UNAVAILABLE
          .with("at most " + most + " may listen to the stream; come again later")
          .header("Retry-After", "10")
          .toException();
    }
    response.setContentType("text/event-stream");
    response.setCharacterEncoding(StandardCharsets.UTF_8);
    // proxies must not keep it back
    response.setHeader("X-Accel-Buffering", "no");
    AsyncContext async = request.startAsync(request, response);
    async.setTimeout(0);
    StreamClient client =
        new StreamClient(
            async, response.getOutputStream(), Caller.of(request).token().id(), clients::remove);
    async.addListener(new Ending(client));
    clients.add(client);
    response.getOutputStream().setWriteListener(client);
    try {
      ticker.execute(() -> greet(client));
    } catch (RejectedExecutionException e) {
      client.end();
    }
    if (!running) {
      client.end();
    }
  }

  private void greet(StreamClient client) {
    try {
      client.send(message(board.view(StatsBoard.WINDOW).streamed()));
    } catch (RuntimeException e) {
      LOG.debug("no statistics yet for a new stream", e);
      client.send(SIGN_OF_LIFE);
    }
  }

  private static byte[] message(StatsView view) {
    String json = new String(Json.bytes(view.at(Instant.now())), StandardCharsets.UTF_8);
    return ("event: stats\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8);
  }

  private void tick() {
    if (clients.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    clients.stream()
        .filter(client -> now - client.sinceNanos > MAX_NANOS)
        .forEach(StreamClient::end);
    if (now - lookedNanos > TRUSTED_NANOS) {
      lookedNanos = now;
      endRevoked();
    }
    try {
      StatsView view = board.view(StatsBoard.WINDOW).streamed();
      byte[] seen = Json.bytes(view);
      if (!Arrays.equals(seen, last)) {
        last = seen;
        tell(message(view), now);
      }
    } catch (RuntimeException e) {
      LOG.debug("could not read statistics for streams", e);
    }
    if (now - saidNanos > QUIET_NANOS) {
      tell(SIGN_OF_LIFE, now);
    }
  }

  /** A token that was revoked and a session that has ended listen no longer. */
  private void endRevoked() {
    try {
      Set<String> valid = validTokens.get();
      clients.stream().filter(client -> !valid.contains(client.token)).forEach(StreamClient::end);
    } catch (RuntimeException e) {
      LOG.debug("could not check the tokens of streams", e);
    }
  }

  private void tell(byte[] message, long now) {
    saidNanos = now;
    clients.forEach(client -> client.send(message));
  }

  @Override
  public void start() {
    running = true;
    ticking =
        ticker.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void stop() {
    running = false;
    Future<?> ticks = ticking;
    if (ticks != null) {
      ticks.cancel(true);
    }
    ticker.shutdownNow();
    clients.forEach(StreamClient::end);
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** However a request ends, its client is gone. */
  private record Ending(StreamClient client) implements AsyncListener {
    @Override
    public void onComplete(AsyncEvent event) {
      client.end();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
      client.end();
    }

    @Override
    public void onError(AsyncEvent event) {
      client.end();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
      // it goes on
    }
  }
}
