package dev.holdfast.servlet;

import dev.holdfast.HoldfastException;
import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.ClaimLostException;
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
 * A request and its response under a claim, from the moment that it is granted to the one that the
 * answer is kept and sent, on whichever threads that happens.
 */
final class ClaimExchange implements BufferedRequest.Async, WatchedAsyncContext.Watcher {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);

  private final Claim claim;
  private final IdempotencyOptions options;
  private final HttpServletRequest realRequest;
  private final HttpServletResponse realResponse;
  private final BufferedRequest request;
  private final CapturedResponse response;
  private final AtomicBoolean over = new AtomicBoolean();

  private volatile boolean async;
  private volatile boolean dispatched;

  /** Whether it was ended by the container, while the async work that it has begun may go on. */
  private volatile boolean forsaken;

  private volatile @Nullable WatchedAsyncContext context;

  ClaimExchange(
      Claim claim,
      IdempotencyOptions options,
      int largestReply,
      HttpServletRequest request,
      HttpServletResponse response,
      byte @Nullable [] body) {
    this.claim = claim;
    this.options = options;
    this.realRequest = request;
    this.realResponse = response;
    this.request = new BufferedRequest(request, body, this);
    this.response =
        new CapturedResponse(
            response,
            KeptHeaders.before(response),
            new Capture(response, largestReply, true),
            this.request::getAsyncContext);
  }

  void run(FilterChain chain) throws IOException, ServletException {
    IdempotentRequest.claimed(claim, this).attachTo(realRequest);
    tellMode();
    run(chain, request, response);
  }

  /** At first, and again at the end: the application may have reset the response. */
  private void tellMode() {
    if (options.modeHeader()) {
      realResponse.setHeader(KeptHeaders.MODE, IdempotentRequest.Mode.CLAIM.header());
    }
  }

  /** Whether it was decided what becomes of the claim. */
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
          claim.letRunOut();
        } else {
          giveBack();
        }
      }
      throw failure;
    }
    if (!async) {
      finish();
    }
  }

  /** Keeps the answer, and then sends it. */
  private void finish() throws IOException {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    try {
      keepAndSend();
    } finally {
      // whatever was thrown, by a policy or a vault of the application: nothing is renewed for ever
      claim.letRunOut();
    }
  }

  private void keepAndSend() throws IOException {
    response.seal();
    tellMode();
    if (!options.keeps(response.getStatus()) || response.asksToRepeat()) {
      giveBack();
      response.deliver();
    } else if (keep()) {
      response.deliver();
    } else {
      response.replace(Problems.claimLost());
    }
  }

  /** Whether the answer may be sent. */
  private boolean keep() {
    try {
      if (response.isTooLarge()) {
        LOG.warn(
            "the answer to {} has {} bytes and was too large to be kept",
            claim.key(),
            response.size());
        claim.completeUnkept(response.size());
      } else {
        claim.complete(response.stored().bytes());
      }
      return true;
    } catch (ClaimLostException e) {
      LOG.warn("an answer was dropped: {}", e.getMessage());
      return false;
    } catch (HoldfastException e) {
      // it took effect: whoever has the answer does not ask again
      LOG.error("the answer to {} is sent, but could not be kept", claim.key(), e);
      return true;
    }
  }

  /** Or lets it run out, where somebody may still be at work under it. */
  private void giveBack() {
    if (forsaken) {
      LOG.debug("the claim of {} runs out, because its async work may go on", claim.key());
      claim.letRunOut();
      return;
    }
    try {
      boolean unused = claim.release();
    } catch (HoldfastException e) {
      LOG.warn("the claim of {} could not be given back, and runs out", claim.key(), e);
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
      LOG.debug("the client of {} has gone before its answer was sent", claim.key(), e);
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
          "the async request {} ended without complete() or dispatch(); its claim runs out",
          claim.key());
      claim.letRunOut();
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
