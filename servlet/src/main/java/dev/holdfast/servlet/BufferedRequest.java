package dev.holdfast.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The request that the application sees: its body was read before, and its async work is watched.
 */
final class BufferedRequest extends HttpServletRequestWrapper {
  private final HttpServletRequest real;
  private final byte @Nullable [] body;
  private final Async async;
  private @Nullable ServletInputStream stream;
  private @Nullable BufferedReader reader;
  private @Nullable Map<String, String[]> form;

  /** What becomes of async work. */
  interface Async {
    /** Whether it is allowed at all. */
    boolean isAllowed();

    /** It begins; null for request and response where those of the application are meant. */
    AsyncContext start(@Nullable ServletRequest request, @Nullable ServletResponse response);

    /** Where it has begun. */
    @Nullable AsyncContext current();
  }

  BufferedRequest(HttpServletRequest real, byte @Nullable [] body, Async async) {
    super(real);
    this.real = real;
    this.body = body;
    this.async = async;
  }

  @Override
  public ServletInputStream getInputStream() throws IOException {
    if (body == null) {
      return super.getInputStream();
    }
    if (reader != null) {
      throw new IllegalStateException("getReader() was called for this request already");
    }
    if (stream == null) {
      stream = new BodyStream(body, this::getAsyncContext);
    }
    return stream;
  }

  @Override
  public BufferedReader getReader() throws IOException {
    if (body == null) {
      return super.getReader();
    }
    if (reader == null) {
      if (stream != null) {
        throw new IllegalStateException("getInputStream() was called for this request already");
      }
      String encoding = getCharacterEncoding();
      Charset charset = encoding == null ? StandardCharsets.ISO_8859_1 : Charset.forName(encoding);
      reader =
          new BufferedReader(
              new InputStreamReader(new BodyStream(body, this::getAsyncContext), charset));
    }
    return reader;
  }

  private @Nullable Map<String, String[]> form() {
    if (form == null && body != null && FormParameters.isForm(real)) {
      form = FormParameters.of(real, body);
    }
    return form;
  }

  @Override
  public @Nullable String getParameter(String name) {
    Map<String, String[]> all = form();
    if (all == null) {
      return super.getParameter(name);
    }
    String[] values = all.get(name);
    return values == null ? null : values[0];
  }

  @Override
  public Map<String, String[]> getParameterMap() {
    Map<String, String[]> all = form();
    return all == null ? super.getParameterMap() : Collections.unmodifiableMap(all);
  }

  @Override
  public Enumeration<String> getParameterNames() {
    Map<String, String[]> all = form();
    return all == null ? super.getParameterNames() : Collections.enumeration(all.keySet());
  }

  @Override
  public String @Nullable [] getParameterValues(String name) {
    Map<String, String[]> all = form();
    if (all == null) {
      return super.getParameterValues(name);
    }
    String[] values = all.get(name);
    return values == null ? null : values.clone();
  }

  @Override
  public @Nullable RequestDispatcher getRequestDispatcher(String path) {
    RequestDispatcher dispatcher = super.getRequestDispatcher(path);
    return dispatcher == null ? null : new ClearingDispatcher(dispatcher);
  }

  /** Clears what the application has written before a forward; Jetty clears the real response. */
  private record ClearingDispatcher(RequestDispatcher real) implements RequestDispatcher {
    @Override
    public void forward(ServletRequest request, ServletResponse response)
        throws ServletException, IOException {
      response.resetBuffer();
      real.forward(request, response);
    }

    @Override
    public void include(ServletRequest request, ServletResponse response)
        throws ServletException, IOException {
      real.include(request, response);
    }
  }

  @Override
  public boolean isAsyncSupported() {
    return async.isAllowed() && super.isAsyncSupported();
  }

  @Override
  public AsyncContext startAsync() {
    return async.start(null, null);
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    return async.start(request, response);
  }

  @Override
  public AsyncContext getAsyncContext() {
    AsyncContext watched = async.current();
    return watched == null ? super.getAsyncContext() : watched;
  }
}
