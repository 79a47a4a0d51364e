package dev.holdfast.web;

import dev.holdfast.web.access.Caller;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request with limits on its body: on its size, also without a content length; on the memory of
 * large bodies, which is released by closing the request; and on the time, see {@link BodyTimeout}.
 */
final class LimitedRequest extends HttpServletRequestWrapper implements AutoCloseable {
  /** Small bodies acquire no memory, so that requests without a token cannot block others. */
  private static final long SMALL = 8192;

  /** Memory is acquired in steps, regardless of the content length. */
  private static final long STEP = 65_536;

  private final BodyMemory.Share room;
  private final BodyTimeout pace;
  private long covered = SMALL;
  private final long most;
  private @Nullable ServletInputStream body;

  LimitedRequest(HttpServletRequest request, long most, BodyMemory room, BodyTimeout pace) {
    super(request);
    this.room = room.share();
    this.pace = pace;
    this.most = most;
  }

  static void requireSize(long bytes, long most) {
    if (bytes > most) {
      throw ProblemType.TOO_LARGE
          .with("the body must have at most " + most + " bytes")
          .header("Connection", "close")
          .toException();
    }
  }

  /**
   * Hides multipart from Spring, which would parse the body; bodies are read or passed on
   * unchanged. The header is not changed.
   */
  @Override
  public @Nullable String getContentType() {
    String type = super.getContentType();
    boolean parts = type != null && type.toLowerCase(Locale.ROOT).startsWith("multipart/");
    return parts ? "application/octet-stream" : type;
  }

  @Override
  public ServletInputStream getInputStream() throws IOException {
    if (body == null) {
      body = new Counted(super.getInputStream());
    }
    return body;
  }

  /** Acquires the memory for this number of bytes. */
  private void cover(long bytes) {
    while (bytes > covered) {
      room.take(STEP);
      covered += STEP;
    }
  }

  @Override
  public void close() {
    room.close();
  }

  private final class Counted extends ServletInputStream {
    private final ServletInputStream source;
    private final long sinceNanos = System.nanoTime();
    private long bytes;

    Counted(ServletInputStream source) {
      this.source = source;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      boolean stranger = !Caller.isKnown(LimitedRequest.this);
      int read =
          stranger && source.available() == 0
              ? waitFor(into, offset, length)
              : source.read(into, offset, length);
      count(Math.max(read, 0));
      if (read >= 0) {
        pace.require(System.nanoTime() - sinceNanos, bytes, stranger);
      }
      return read;
    }

    private int waitFor(byte[] into, int offset, int length) throws IOException {
      if (source.isFinished()) {
        return source.read(into, offset, length);
      }
      pace.beginWait();
      try {
        return source.read(into, offset, length);
      } finally {
        pace.endWait();
      }
    }

    private void count(int more) {
      bytes += more;
      requireSize(bytes, most);
      cover(bytes);
    }

    @Override
    public boolean isFinished() {
      return source.isFinished();
    }

    @Override
    public boolean isReady() {
      return source.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      source.setReadListener(listener);
    }
  }
}
