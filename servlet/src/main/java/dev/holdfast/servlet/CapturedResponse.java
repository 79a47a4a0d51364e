package dev.holdfast.servlet;

import dev.holdfast.servlet.StoredResponse.Header;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The response that the application sees. Status and headers go to the real one, which is not sent
 * before it is decided what becomes of it; the body and errors are held back.
 *
 * <p>It is committed for the application as a real one would be: after a flush, a redirect, an
 * error or the end of its body.
 */
final class CapturedResponse extends ResponseHead {
  private static final String CONTENT_LENGTH = "Content-Length";
  private static final String CONTENT_TYPE = "Content-Type";

  private final HttpServletResponse real;
  private final KeptHeaders headers;
  private final Capture capture;
  private final Supplier<AsyncContext> async;

  private @Nullable ServletOutputStream stream;
  private @Nullable PrintWriter writer;
  private @Nullable String writerCharset;
  private @Nullable Locale locale;
  private boolean committed;
  private boolean closed;
  private boolean draining;
  private @Nullable SentError error;

  /** Whether it was handed to a dispatch through which the filter may not be seen again. */
  private volatile boolean unwatched;

  CapturedResponse(
      HttpServletResponse real,
      KeptHeaders headers,
      Capture capture,
      Supplier<AsyncContext> async) {
    super(real);
    this.real = real;
    this.headers = headers;
    this.capture = capture;
    this.async = async;
  }

  /**
   * Not the real one where that is Tomcat's: Tomcat looks through all wrappers for it, and closes
   * it after a forward, when nothing has been sent yet.
   */
  @Override
  public ServletResponse getResponse() {
    ServletResponse inner = super.getResponse();
    return inner == real && Veil.isNeeded(real) ? Veil.over(real) : inner;
  }

  // what the application writes

  void written(byte[] bytes, int start, int length) throws IOException {
    if (closed) {
      return;
    }
    if (unwatched) {
      capture.share();
    }
    capture.write(bytes, start, length);
  }

  /** Characters of it may wait to become bytes. */
  void printed() {
    if (unwatched) {
      drainWriter();
    }
  }

  void flushed() {
    if (!draining) {
      committed = true;
      capture.flush();
    }
  }

  void closed() {
    committed = true;
    closed = true;
  }

  @Override
  public ServletOutputStream getOutputStream() {
    if (writer != null) {
      throw new IllegalStateException("getWriter() was called for this response already");
    }
    if (stream == null) {
      stream = new CaptureStream(this, async);
    }
    return stream;
  }

  @Override
  public PrintWriter getWriter() throws IOException {
    PrintWriter known = writer;
    if (known != null) {
      return known;
    }
    if (stream != null) {
      throw new IllegalStateException("getOutputStream() was called for this response already");
    }
    String charset = getCharacterEncoding();
    // from now on it is a part of the content type
    super.setCharacterEncoding(charset);
    writerCharset = charset;
    PrintWriter made =
        new PrintWriter(
            new CaptureWriter(this, new CaptureStream(this, async), Charset.forName(charset)));
    writer = made;
    return made;
  }

  @Override
  public void flushBuffer() {
    drainWriter();
    flushed();
  }

  /** Makes bytes of what was printed, which is no flush of the response. */
  private void drainWriter() {
    if (writer != null) {
      draining = true;
      try {
        writer.flush();
      } finally {
        draining = false;
      }
    }
  }

  @Override
  public boolean isCommitted() {
    return committed || super.isCommitted();
  }

  @Override
  public void reset() {
    refuseIfCommitted();
    capture.clear();
    capture.declare(-1);
    super.reset();
    stream = null;
    writer = null;
    writerCharset = null;
    locale = null;
  }

  @Override
  public void resetBuffer() {
    refuseIfCommitted();
    drainWriter();
    capture.clear();
  }

  private void refuseIfCommitted() {
    if (isCommitted()) {
      throw new IllegalStateException("the response is committed");
    }
  }

  @Override
  public void setBufferSize(int size) {
    // all of it is held anyway
  }

  // errors and redirects

  @Override
  public void sendError(int status) throws IOException {
    sendError(status, null);
  }

  @Override
  public void sendError(int status, @Nullable String text) throws IOException {
    resetBuffer();
    SentError sent = new SentError(status, text);
    error = sent;
    closed();
    if (unwatched) {
      sent.send(real);
    }
  }

  @Override
  public void sendRedirect(String location) throws IOException {
    sendRedirect(location, SC_FOUND, true);
  }

  @Override
  public void sendRedirect(String location, int status) throws IOException {
    sendRedirect(location, status, true);
  }

  @Override
  public void sendRedirect(String location, boolean clearBuffer) throws IOException {
    sendRedirect(location, SC_FOUND, clearBuffer);
  }

  @Override
  public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
    refuseIfCommitted();
    if (clearBuffer) {
      resetBuffer();
    }
    setStatus(status);
    setHeader("Location", location);
    drainWriter();
    closed();
  }

  // the head

  @Override
  public int getStatus() {
    return error == null ? super.getStatus() : error.status();
  }

  @Override
  boolean isHeadFinal() {
    return committed;
  }

  @Override
  public void setContentLength(int length) {
    setContentLengthLong(length);
  }

  @Override
  public void setContentLengthLong(long length) {
    if (!committed) {
      capture.declare(length);
    }
  }

  @Override
  public void setContentType(@Nullable String type) {
    if (committed) {
      return;
    }
    super.setContentType(type);
    if (writerCharset != null && type != null) {
      super.setCharacterEncoding(writerCharset);
    }
  }

  @Override
  public void setCharacterEncoding(@Nullable String charset) {
    if (!committed && writer == null) {
      super.setCharacterEncoding(charset);
    }
  }

  @Override
  public void setLocale(Locale newLocale) {
    if (committed) {
      return;
    }
    super.setLocale(newLocale);
    locale = newLocale;
    if (writerCharset != null) {
      super.setCharacterEncoding(writerCharset);
    }
  }

  /** The real response would count the bytes, and take a charset that the writer has not. */
  @Override
  boolean isOfBody(String name, @Nullable String value) {
    if (CONTENT_TYPE.equalsIgnoreCase(name) && value != null) {
      setContentType(value);
      return true;
    }
    if (CONTENT_LENGTH.equalsIgnoreCase(name)) {
      capture.declare(value == null ? -1 : Long.parseLong(value.strip()));
      return true;
    }
    return false;
  }

  /** Whoever has it now may be the last one to see it, so that all must be sent as it comes. */
  void unwatched(boolean now) {
    unwatched = now;
    if (now) {
      drainWriter();
      if (capture.size() > 0) {
        capture.share();
      }
    }
  }

  /** Nothing is written any more. */
  void seal() {
    drainWriter();
    closed();
  }

  /** Whether it refuses for now only, such as 409 of something in progress. */
  boolean asksToRepeat() {
    return getStatus() >= 400 && real.containsHeader("Retry-After");
  }

  boolean isTooLarge() {
    return capture.isTooLarge();
  }

  long size() {
    return capture.size();
  }

  /** As it is kept. */
  StoredResponse stored() {
    List<Header> kept = new ArrayList<>(headers.since(real));
    if (locale != null
        && kept.stream().noneMatch(header -> header.name().equalsIgnoreCase("Content-Language"))) {
      kept.add(new Header("Content-Language", locale.toLanguageTag()));
    }
    SentError sent = error;
    return new StoredResponse(
        getStatus(),
        sent != null,
        sent == null ? null : sent.message(),
        sent == null ? getContentType() : null,
        kept,
        capture.bytes());
  }

  /** Sends it, as far as that was not done. */
  void deliver() throws IOException {
    capture.ensureNotGone();
    if (capture.isSent() || unwatched) {
      return;
    }
    if (error != null) {
      error.send(real);
    } else {
      Replay.length(real, capture.size());
      capture.deliver();
    }
  }

  /** Makes the real one as if the application had never seen it. */
  void forget() {
    headers.restore(real);
  }

  /** Forgets it all, and answers with a problem instead; nothing happens where it was sent. */
  void replace(Problem problem) throws IOException {
    if (!real.isCommitted()) {
      forget();
      problem.writeTo(real);
    }
  }
}
