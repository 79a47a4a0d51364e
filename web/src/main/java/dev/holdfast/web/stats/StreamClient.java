package dev.holdfast.web.stats;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * One who listens to the stream. Nobody waits for it: what it cannot take yet is kept until it can,
 * and one that falls behind by a few messages is let go. Thread-safe.
 */
final class StreamClient implements WriteListener {
  private static final int MAX_WAITING = 4;

  private final AsyncContext request;
  private final ServletOutputStream out;
  private final Consumer<StreamClient> gone;

  /** The id of the token or session that was shown. */
  final String token;

  final long sinceNanos = System.nanoTime();
  private final Queue<byte[]> waiting = new ArrayDeque<>();
  private boolean begun;
  private boolean over;
  private boolean flushed = true;

  /** {@code gone} is told when it is over. */
  StreamClient(
      AsyncContext request, ServletOutputStream out, String token, Consumer<StreamClient> gone) {
    this.request = request;
    this.out = out;
    this.token = token;
    this.gone = gone;
  }

  void send(byte[] message) {
    boolean slow;
    synchronized (this) {
      waiting.add(message);
      slow = waiting.size() > MAX_WAITING;
    }
    if (slow) {
      end();
    } else {
      write();
    }
  }

  @Override
  public void onWritePossible() {
    synchronized (this) {
      begun = true;
    }
    write();
  }

  private void write() {
    boolean failed = false;
    synchronized (this) {
      try {
        while (begun && !over && (!waiting.isEmpty() || !flushed) && out.isReady()) {
          byte[] next = waiting.poll();
          flushed = next == null;
          if (next == null) {
            out.flush();
          } else {
            out.write(next);
          }
        }
      } catch (IOException | IllegalStateException e) {
        failed = true;
      }
    }
    if (failed) {
      end();
    }
  }

  @Override
  public void onError(Throwable failure) {
    end();
  }

  /** Ends it, once; whoever listens may come again. */
  void end() {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
      waiting.clear();
    }
    gone.accept(this);
    try {
      request.complete();
    } catch (IllegalStateException e) {
      // the container has ended it
    }
  }
}
