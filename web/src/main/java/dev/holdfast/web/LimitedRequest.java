package dev.holdfast.web;

import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request of whose body no more than a limit is read, also where it does not say its length, and
 * a large one only while there is room for it. Closing it gives the room back.
 */
final class LimitedRequest extends HttpServletRequestWrapper implements AutoCloseable {
  /** Small ones need no room: nobody can make others wait without showing a token. */
  private static final long SMALL = 8192;

  /** How much is taken at a time for a body that does not say its length. */
  private static final long STEP = 65_536;

  private final RequestRoom room;
  private int taken;
  private long covered = SMALL;
  private final long most;
  private @Nullable ServletInputStream body;

  LimitedRequest(HttpServletRequest request, long most, RequestRoom room) {
    super(request);
    this.room = room;
    this.most = most;
  }

  static void requireSize(long bytes, long most) {
    if (bytes > most) {
      throw ProblemType.TOO_LARGE
          .with("the body must have at most " + most + " bytes")
          .header("Connection", "close")
          .exception();
    }
  }

  /**
   * Not that it is multipart: Spring would take it apart, and bodies are read or passed on as they
   * are. The header still says so.
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

  /** Before more than this is kept of the body. */
  private void cover(long bytes) {
    while (bytes > covered) {
      long more = Math.max(STEP, getContentLengthLong() - covered);
      taken += room.take(more);
      covered += more;
    }
  }

  @Override
  public void close() {
    room.giveBack(taken);
    taken = 0;
  }

  private final class Counted extends ServletInputStream {
    private final ServletInputStream source;
    private long bytes;

    Counted(ServletInputStream source) {
      this.source = source;
    }

    @Override
    public int read() throws IOException {
      int read = source.read();
      count(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int read = source.read(into, offset, length);
      count(Math.max(read, 0));
      return read;
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
