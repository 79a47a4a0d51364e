package dev.holdfast.web;

import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A request of whose body no more than a limit is read, also where it does not say its length. */
final class LimitedRequest extends HttpServletRequestWrapper {
  private final long most;
  private @Nullable ServletInputStream body;

  LimitedRequest(HttpServletRequest request, long most) {
    super(request);
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
