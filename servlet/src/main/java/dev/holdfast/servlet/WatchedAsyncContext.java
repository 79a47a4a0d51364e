package dev.holdfast.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/**
 * An async context that tells when the application is done, before the container is told: only then
 * can a response still be sent.
 */
final class WatchedAsyncContext implements AsyncContext {
  private final AsyncContext real;
  private final Watcher watcher;

  /** Who is told. */
  interface Watcher {
    /** The application has completed. */
    void completing();

    /** The application has handed the request to somebody else. */
    void dispatching();
  }

  WatchedAsyncContext(AsyncContext real, Watcher watcher) {
    this.real = real;
    this.watcher = watcher;
  }

  @Override
  public void complete() {
    try {
      watcher.completing();
    } finally {
      real.complete();
    }
  }

  @Override
  public void dispatch() {
    watcher.dispatching();
    real.dispatch();
  }

  @Override
  public void dispatch(String path) {
    watcher.dispatching();
    real.dispatch(path);
  }

  @Override
  public void dispatch(ServletContext context, String path) {
    watcher.dispatching();
    real.dispatch(context, path);
  }

  @Override
  public void addListener(AsyncListener listener) {
    real.addListener(new Listener(listener));
  }

  @Override
  public void addListener(
      AsyncListener listener, ServletRequest request, ServletResponse response) {
    real.addListener(new Listener(listener), request, response);
  }

  @Override
  public ServletRequest getRequest() {
    return real.getRequest();
  }

  @Override
  public ServletResponse getResponse() {
    return real.getResponse();
  }

  @Override
  public boolean hasOriginalRequestAndResponse() {
    return real.getRequest() instanceof BufferedRequest
        && real.getResponse() instanceof CapturedResponse;
  }

  @Override
  public void start(Runnable work) {
    real.start(work);
  }

  @Override
  public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
    return real.createListener(type);
  }

  @Override
  public void setTimeout(long timeout) {
    real.setTimeout(timeout);
  }

  @Override
  public long getTimeout() {
    return real.getTimeout();
  }

  /** Whoever completes in an event must complete the watched context. */
  private final class Listener implements AsyncListener {
    private final AsyncListener listener;

    Listener(AsyncListener listener) {
      this.listener = listener;
    }

    private AsyncEvent watched(AsyncEvent event) {
      AsyncContext its = event.getAsyncContext();
      return new AsyncEvent(
          its == null || its == real
              ? WatchedAsyncContext.this
              : new WatchedAsyncContext(its, watcher),
          event.getSuppliedRequest(),
          event.getSuppliedResponse(),
          event.getThrowable());
    }

    @Override
    public void onComplete(AsyncEvent event) throws IOException {
      listener.onComplete(watched(event));
    }

    @Override
    public void onTimeout(AsyncEvent event) throws IOException {
      listener.onTimeout(watched(event));
    }

    @Override
    public void onError(AsyncEvent event) throws IOException {
      listener.onError(watched(event));
    }

    @Override
    public void onStartAsync(AsyncEvent event) throws IOException {
      listener.onStartAsync(watched(event));
    }
  }
}
