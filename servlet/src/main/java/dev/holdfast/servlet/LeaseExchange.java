package dev.holdfast.servlet;

import dev.holdfast.HoldfastException;
import dev.holdfast.LeaseLostException;
import dev.holdfast.workflow.OpenWorkflow;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request with a lease and its response, from the grant of the lease until the response is stored
 * and sent, on any thread.
 */
final class LeaseExchange implements BufferedRequest.Async, WatchedAsyncContext.Watcher {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);

  private final OpenWorkflow open;
  private final IdempotencyFilterOptions options;
  private final HttpServletRequest realRequest;
  private final HttpServletResponse realResponse;
  private final BufferedRequest request;
  private final CapturedResponse response;
  private final AtomicBoolean over = new AtomicBoolean();

  private volatile boolean async;
  private volatile boolean dispatched;

  /** Whether the container has ended it while its asynchronous work may still be running. */
  private volatile boolean forsaken;

  private volatile @Nullable WatchedAsyncContext context;

  LeaseExchange(
      OpenWorkflow open,
      IdempotencyFilterOptions options,
      int maxResultSize,
      HttpServletRequest request,
      HttpServletResponse response,
      byte @Nullable [] body) {
    this.open = open;
    this.options = options;
    this.realRequest = request;
    this.realResponse = response;
    this.request = new BufferedRequest(request, body, this);
    this.response =
        new CapturedResponse(
            response,
            KeptHeaders.before(response),
            new Capture(response, maxResultSize, true),
            this.request::getAsyncContext);
  }

  void run(FilterChain chain) throws IOException, ServletException {
    IdempotentRequest.leased(open, this).attachTo(realRequest);
    tellMode();
    run(chain, request, response);
  }

  /** At first, and again at the end: the application may have reset the response. */
  private void tellMode() {
    if (options.modeHeader()) {
      realResponse.setHeader(KeptHeaders.MODE, IdempotentRequest.Mode.LEASE.header());
    }
  }

  /** Whether the end of the lease was decided. */
  boolean isOver() {
    return over.get();
  }

  /** The filter sees the request again, because it was dispatched. */
  void resume(FilterChain chain, ServletRequest dispatchedRequest, ServletResponse to)
      throws IOException, ServletException {
    async = false;
    dispatched = false;
    response.unwatched(false);
    run(chain, dispatchedRequest, to);
  }

  private void run(FilterChain chain, ServletRequest seen, ServletResponse to)
      throws IOException, ServletException {
    try {
      chain.doFilter(seen, to);
    } catch (Throwable failure) {
      if (over.compareAndSet(false, true)) {
        if (async) {
          // its async work may go on
          open.abandon();
        } else {
          release();
        }
      }
      throw failure;
    }
    if (!async) {
      finish();
    }
  }

  /** Stores the response, and then sends it. */
  private void finish() throws IOException {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    try {
      keepAndSend();
    } finally {
      // whatever was thrown by code of the application: the renewals end
      open.abandon();
    }
  }

  private void keepAndSend() throws IOException {
    response.seal();
    tellMode();
    if (!options.records(response.getStatus()) || response.asksToRepeat()) {
      release();
      response.deliver();
    } else if (keep()) {
      response.deliver();
    } else {
      response.replace(Problems.leaseLost());
    }
  }

  /** Whether the answer may be sent. */
  private boolean keep() {
    try {
      if (response.isTooLarge()) {
        LOG.warn(
            "idempotency-result-too-large: the response to request {} has {} bytes; sent, but not"
                + " stored, and duplicates get 500",
            open.key(),
            response.size());
        open.completeTooLarge(response.size());
      } else {
        open.complete(response.stored().bytes());
      }
      return true;
    } catch (LeaseLostException e) {
      LOG.warn(
          "idempotency-lease-lost: request {} lost its lease; response dropped, responding 503: {}",
          open.key(),
          e.getMessage());
      return false;
    } catch (HoldfastException e) {
      // it took effect: a client that has the response does not retry
      LOG.error(
          "idempotency-result-not-stored: could not store the response to request {}; response"
              + " sent, duplicates may execute again",
          open.key(),
          e);
      return true;
    }
  }

  /** Or abandons the lease, if work may still be running. */
  private void release() {
    if (forsaken) {
      LOG.debug(
          "idempotency-lease-abandoned: the lease of request {} expires, because asynchronous work"
              + " may still be running",
          open.key());
      open.abandon();
      return;
    }
    try {
      boolean unused = open.release();
    } catch (HoldfastException e) {
      LOG.warn(
          "idempotency-release-failed: could not release the lease of request {}; it expires",
          open.key(),
          e);
    }
  }

  // async work

  @Override
  public boolean isAllowed() {
    return true;
  }

  @Override
  public AsyncContext start(@Nullable ServletRequest seen, @Nullable ServletResponse to) {
    AsyncContext real =
        realRequest.startAsync(seen == null ? request : seen, to == null ? response : to);
    WatchedAsyncContext watched = new WatchedAsyncContext(real, this);
    context = watched;
    dispatched = false;
    async = true;
    real.addListener(new ContainerIsDone());
    return watched;
  }

  @Override
  public @Nullable AsyncContext current() {
    return context;
  }

  @Override
  public void completing() {
    try {
      finish();
    } catch (IOException e) {
      LOG.debug(
          "the client of request {} disconnected before the response was sent", open.key(), e);
    }
  }

  @Override
  public void dispatching() {
    dispatched = true;
    response.unwatched(true);
  }

  /** The container has ended the request, whether or not the application has. */
  private void containerIsDone() {
    if (dispatched) {
      // the filter was not asked again: all was sent as it came
      completing();
    } else if (over.compareAndSet(false, true)) {
      LOG.warn(
          "idempotency-lease-abandoned: the asynchronous request {} ended without complete() or"
              + " dispatch(); its lease expires",
          open.key());
      open.abandon();
    }
  }

  private final class ContainerIsDone implements AsyncListener {
    @Override
    public void onComplete(AsyncEvent event) {
      containerIsDone();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
      // the application may still answer
      forsaken = true;
    }

    @Override
    public void onError(AsyncEvent event) {
      if (!dispatched) {
        // the application may still answer; in a dispatch it is an exception, and nothing goes on
        forsaken = true;
      }
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
      // the next one is watched too
    }
  }
}
