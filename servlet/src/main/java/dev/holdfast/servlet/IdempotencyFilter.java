package dev.holdfast.servlet;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.internal.Require;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.Workflows;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes requests with the header {@code Idempotency-Key} once, and replays the response to
 * duplicates: status, headers and body.
 *
 * <pre>{@code
 * context.addFilter("idempotency", IdempotencyFilter.builder(holdfast)
 *         .transactions(RequestTransactions.on(holdfast.transactions()))
 *         .build())
 *     .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), true, "/*");
 * }</pre>
 *
 * <p>It follows draft-ietf-httpapi-idempotency-key-header-07. Its own responses are {@linkplain
 * Problem problems}: 400 if the key is malformed, or missing and required; 403 if the sender is
 * unknown; 408 and 413 if the body is too slow or too large; 409 with {@code Retry-After} while a
 * request with the same key is in progress; 422 if the key was used with another payload (query,
 * content type, precondition or body); 503 with {@code Retry-After} if the records cannot be
 * reached, and nothing was done. Those that the sender can fix link to {@linkplain
 * IdempotencyFilterOptions.Builder#documentation documentation}. A replayed response has {@code
 * Idempotent-Replayed: true}, and neither {@code Date}, {@code Set-Cookie} nor headers of the
 * connection. An error that was sent by {@code sendError} is sent again with the same message; the
 * container renders its page each time.
 *
 * <p>A request is executed in one of two modes, which {@link IdempotentRequest} and the header
 * {@code Idempotency-Mode} show:
 *
 * <ul>
 *   <li>{@code transaction}: the record is committed with the changes of the application, and then
 *       the response is sent. An exception and a status of 400 or more roll back; a 4xx is then
 *       recorded by a transaction of its own. {@link IdempotencyFilterOptions.Builder#commitStatus}
 *       changes that. The request cannot be asynchronous. A response that is too large rolls back
 *       and becomes 500.
 *   <li>{@code lease}: the lease of the request is renewed while the application works. A response
 *       that is not recorded, and an exception, release it, so that the request may be repeated at
 *       once. After a crash, and if asynchronous work may still be running, the lease expires. A
 *       response that is too large is sent, and duplicates get 500.
 * </ul>
 *
 * <p>The body is read before the request is started, and the response is held until it is stored:
 * the application cannot stream by flushing. Memory is bounded by the maximum sizes of body and
 * response. Place the filter after authentication, and before anything that reads the body. If the
 * container dispatches asynchronous requests, map it to {@code ASYNC} too; otherwise their
 * responses are sent before they are stored.
 *
 * <p><b>Threads:</b> thread-safe.
 */
public final class IdempotencyFilter implements Filter {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);
  private static final AtomicLong FILTERS = new AtomicLong();

  private final Workflows workflows;
  private final @Nullable Idempotency idempotency;
  private final RequestTransactions transactions;
  private final IdempotencyFilterOptions options;
  private final AtomicBoolean warnedOfAnonymous = new AtomicBoolean();

  /** The attribute of a request that says what this filter has decided; others decide for them. */
  private final String decision =
      IdempotencyFilter.class.getName() + ".decision." + FILTERS.incrementAndGet();

  /** What happens to a request that is not executed. */
  private enum Decision {
    PASSED,
    ANSWERED
  }

  private IdempotencyFilter(Builder builder) {
    this.options = builder.options;
    this.workflows = builder.workflows;
    this.idempotency = builder.transactions == null ? null : builder.idempotency;
    this.transactions = builder.transactions == null ? (request, work) -> {} : builder.transactions;
  }

  /** A builder of a filter with the records in the database of Holdfast. */
  public static Builder builder(Holdfast holdfast) {
    Require.notNull(holdfast, "holdfast");
    return new Builder(holdfast.workflows()).idempotency(holdfast.idempotency());
  }

  /**
   * A builder of a filter that only uses leases, with the records in the store of the workflows.
   */
  public static Builder builder(Workflows workflows) {
    return new Builder(Require.notNull(workflows, "workflows"));
  }

  /** Builds an {@link IdempotencyFilter}. Not thread-safe. */
  public static final class Builder {
    private Workflows workflows;
    private @Nullable Idempotency idempotency;
    private @Nullable RequestTransactions transactions;
    private IdempotencyFilterOptions options = IdempotencyFilterOptions.ofDefaults();

    private Builder(Workflows workflows) {
      this.workflows = workflows;
    }

    /** The options of the filter. */
    public Builder options(IdempotencyFilterOptions options) {
      this.options = Require.notNull(options, "options");
      return this;
    }

    /** Executes requests in these transactions; by default all requests use a lease. */
    public Builder transactions(RequestTransactions transactions) {
      this.transactions = Require.notNull(transactions, "transactions");
      return this;
    }

    /** What executes requests in transactions; by default that of Holdfast. */
    public Builder idempotency(Idempotency idempotency) {
      this.idempotency = Require.notNull(idempotency, "idempotency");
      return this;
    }

    /** What leases requests; by default that of Holdfast. */
    public Builder workflows(Workflows workflows) {
      this.workflows = Require.notNull(workflows, "workflows");
      return this;
    }

    public IdempotencyFilter build() {
      Require.that(
          transactions == null || idempotency != null,
          "A filter with transactions needs builder(holdfast), or idempotency(…).");
      return new IdempotencyFilter(this);
    }
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse answer)) {
      chain.doFilter(request, response);
      return;
    }
    IdempotentRequest known = IdempotentRequest.from(http).orElse(null);
    if (known != null) {
      again(known, http, answer, chain);
    } else if (isFirst(http) && options.covers(http)) {
      first(http, answer, chain);
    } else if (!isAnswered(http)) {
      chain.doFilter(http, answer);
    }
  }

  private boolean isFirst(HttpServletRequest request) {
    return switch (request.getDispatcherType()) {
      case REQUEST, FORWARD -> true;
      // something before the filter may have suspended it
      case ASYNC -> request.getAttribute(decision) == null;
      case INCLUDE, ERROR -> false;
    };
  }

  private boolean isAnswered(HttpServletRequest request) {
    return request.getDispatcherType() == DispatcherType.ASYNC
        && request.getAttribute(decision) == Decision.ANSWERED;
  }

  /**
   * A dispatch of a request that is worked on. One that was answered, and which somebody before the
   * filter has dispatched then, does not reach the application a second time.
   */
  private static void again(
      IdempotentRequest known,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws IOException, ServletException {
    LeaseExchange exchange = known.exchange();
    if (request.getDispatcherType() != DispatcherType.ASYNC) {
      chain.doFilter(request, response);
    } else if (exchange != null && !exchange.isOver()) {
      exchange.resume(chain, request, response);
    }
  }

  private void first(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    request.setAttribute(decision, Decision.ANSWERED);
    @Nullable IdempotencyKey key;
    @Nullable RequestBody body;
    try {
      key = key(request);
      body =
          key == null
              ? null
              : RequestBody.read(request, options.maxBodySize(), options.bodyTimeout());
    } catch (ProblemException e) {
      options.documented(e.problem()).writeTo(response);
      return;
    }
    if (key == null || body == null) {
      request.setAttribute(decision, Decision.PASSED);
      chain.doFilter(request, response);
      return;
    }
    Fingerprint fingerprint = Scope.fingerprint(request, body);
    Idempotency inTransactions = idempotency;
    if (inTransactions != null && transactions.isTransactional(request)) {
      new TransactionExchange(
              inTransactions,
              transactions,
              options,
              key,
              fingerprint,
              request,
              response,
              body.bytes())
          .run(chain);
      return;
    }
    BeginResult<OpenWorkflow> begun = begin(key, fingerprint, response);
    if (begun instanceof BeginResult.Open<OpenWorkflow> open) {
      int maxSize = options.maxResponseSize(workflows.options().maxResultSize());
      new LeaseExchange(open.request(), options, maxSize, request, response, body.bytes())
          .run(chain);
    } else if (begun != null) {
      Answers.send(begun, options, response);
    }
  }

  /** Null if the request has no key and needs none. */
  private @Nullable IdempotencyKey key(HttpServletRequest request) {
    String given = KeyHeader.of(request);
    if (given != null) {
      String principal = options.principalOf(request);
      if (principal == null) {
        warnOfAnonymous();
        throw Problems.principalRequired().toException();
      }
      return Scope.of(request, principal, given, options);
    }
    if (options.requiresKey(request)) {
      throw Problems.keyMissing().toException();
    }
    return null;
  }

  private void warnOfAnonymous() {
    if (!warnedOfAnonymous.getAndSet(true)) {
      LOG.warn(
          "idempotency-principal-required: responded 403 to a request with an Idempotency-Key but"
              + " no user principal; set principal(…) of IdempotencyFilterOptions, place the filter"
              + " after authentication, or set allowAnonymous(); logged only once");
    }
  }

  /** Null if it failed, and a response was sent. */
  private @Nullable BeginResult<OpenWorkflow> begin(
      IdempotencyKey key, Fingerprint fingerprint, HttpServletResponse response)
      throws IOException {
    try {
      return workflows.begin(
          IdempotencyRequest.of(key, Codec.bytes())
              .fingerprint(fingerprint)
              .waitTimeout(options.waitTimeout()));
    } catch (HoldfastException e) {
      Answers.tell(key, e);
      Problems.of(e).writeTo(response);
      return null;
    }
  }
}
