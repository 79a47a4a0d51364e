package dev.holdfast.servlet;

import dev.holdfast.HoldfastException;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.Begun;
import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.internal.Require;
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
 * Makes requests with the header {@code Idempotency-Key} take effect once, and answers those that
 * repeat them with the same status, headers and body.
 *
 * <pre>{@code
 * context.addFilter("idempotency", IdempotencyFilter.on(
 *         holdfast.idempotency(), RequestTransactions.on(holdfast.transactions()), options))
 *     .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), true, "/*");
 * }</pre>
 *
 * <p>It follows draft-ietf-httpapi-idempotency-key-header-07. Answers of its own are {@linkplain
 * Problem problems}: 400 where the key is malformed, or missing and required; 403 where the sender
 * is not known; 409 with {@code Retry-After} where one with the same key is at work; 422 where the
 * key was used with another payload, that is another query, content type, precondition or body (and
 * another method or path, where {@code operation(…)} does not tell them apart anyway); 413 where
 * the body is too large, 408 where it takes too long; 503 with {@code Retry-After} where the
 * records cannot be reached: then nothing is done. Those of them that are for the sender to change
 * link to {@linkplain IdempotencyOptions.Builder#documentation documentation}. A repeated answer
 * has {@code Idempotency-Replayed: true}, and neither {@code Date}, {@code Set-Cookie} nor what
 * concerns the connection. An error that was sent by {@code sendError} is sent so again, with the
 * same message; its page is made by the container each time.
 *
 * <p>A request takes effect once in one of two ways, which {@link IdempotentRequest} and the header
 * {@code Idempotency-Mode} tell:
 *
 * <ul>
 *   <li>{@code transaction}: the record is committed with what the application changes, and then
 *       the answer is sent. An exception and an answer of 400 or more roll back: a refusal such as
 *       422 takes no effect, and is kept by a transaction of its own; {@link
 *       IdempotencyOptions.Builder#committed} says otherwise. Cannot be async; an answer that is
 *       too large rolls back and becomes 500.
 *   <li>{@code claim}: a claim is held and renewed while the application works. An answer that is
 *       not kept, and an exception, give it back, so that the request may be repeated at once.
 *       After a crash, an async request that ended without an answer of the application, or one
 *       whose timeout or error was answered by what is not kept, it runs out: its work may go on.
 *       An answer that is too large is sent, and those who repeat the request get 500.
 * </ul>
 *
 * <p>The body is read to its end before anything is begun, and the answer is held until it is kept:
 * the application cannot stream by flushing. Memory is bounded by the largest body and the largest
 * reply. Put it after whatever finds out who sends a request, and before whatever reads its body.
 * Where the container dispatches async requests, map it to {@code ASYNC} too; without that their
 * answers are sent before they are kept, and requests that somebody before the filter suspends and
 * dispatches pass it unseen.
 *
 * <p>Thread-safe.
 */
public final class IdempotencyFilter implements Filter {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);
  private static final AtomicLong FILTERS = new AtomicLong();

  private final Claims claims;
  private final @Nullable Idempotency idempotency;
  private final RequestTransactions transactions;
  private final IdempotencyOptions options;
  private final AtomicBoolean toldOfAnonymous = new AtomicBoolean();

  /** The attribute of a request that says what this filter has decided; others decide for them. */
  private final String decision =
      IdempotencyFilter.class.getName() + ".decision." + FILTERS.incrementAndGet();

  /** What becomes of a request that is not worked on. */
  private enum Decision {
    PASSED,
    ANSWERED
  }

  private IdempotencyFilter(
      Claims claims,
      @Nullable Idempotency idempotency,
      RequestTransactions transactions,
      IdempotencyOptions options) {
    this.options = Require.notNull(options, "options");
    this.claims = claims.waiting(options.waiting());
    this.idempotency = idempotency == null ? null : idempotency.waiting(options.waiting());
    this.transactions = transactions;
  }

  /** By claims, with the default options. */
  public static IdempotencyFilter on(Claims claims) {
    return on(claims, IdempotencyOptions.DEFAULTS);
  }

  /** By claims. How long a duplicate waits is as the options say. */
  public static IdempotencyFilter on(Claims claims, IdempotencyOptions options) {
    return new IdempotencyFilter(
        Require.notNull(claims, "claims"), null, (request, work) -> {}, options);
  }

  /** In transactions, with the default options. */
  public static IdempotencyFilter on(Idempotency idempotency, RequestTransactions transactions) {
    return on(idempotency, transactions, IdempotencyOptions.DEFAULTS);
  }

  /** In transactions, and by claims for requests that have none. */
  public static IdempotencyFilter on(
      Idempotency idempotency, RequestTransactions transactions, IdempotencyOptions options) {
    return new IdempotencyFilter(
        Require.notNull(idempotency, "idempotency").claims(),
        idempotency,
        Require.notNull(transactions, "transactions"),
        options);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse answer)) {
      chain.doFilter(request, response);
      return;
    }
    IdempotentRequest known = IdempotentRequest.of(http).orElse(null);
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
      // somebody before the filter may have held it up until now
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
    ClaimExchange exchange = known.exchange();
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
              : RequestBody.read(request, options.largestBody(), options.bodyWithin());
    } catch (ProblemException e) {
      options.documented(e.problem()).send(response);
      return;
    }
    if (key == null || body == null) {
      request.setAttribute(decision, Decision.PASSED);
      chain.doFilter(request, response);
      return;
    }
    Fingerprint fingerprint = Scope.fingerprint(request, body);
    Idempotency inTransactions = idempotency;
    if (inTransactions != null && transactions.has(request)) {
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
    Begun<Claim> begun = begin(key, fingerprint, response);
    if (begun instanceof Begun.Open<Claim> open) {
      int largest = options.largestReply(claims.largestReply());
      new ClaimExchange(open.record(), options, largest, request, response, body.bytes())
          .run(chain);
    } else if (begun != null) {
      Answers.send(begun, options, response);
    }
  }

  /** Null where it has none and needs none. */
  private @Nullable IdempotencyKey key(HttpServletRequest request) {
    String given = KeyHeader.of(request);
    if (given != null) {
      String principal = options.principalOf(request);
      if (principal == null) {
        tellOfAnonymous();
        throw Problems.anonymous().exception();
      }
      return Scope.of(request, principal, given, options);
    }
    if (options.requiresKey(request)) {
      throw Problems.keyMissing().exception();
    }
    return null;
  }

  private void tellOfAnonymous() {
    if (!toldOfAnonymous.getAndSet(true)) {
      LOG.warn(
          "a request with an Idempotency-Key was refused by 403, because it has no user principal;"
              + " set IdempotencyOptions.principal(…), put the filter after what finds out who"
              + " sends a request, or set anonymousShareKeys(); this is said once only");
    }
  }

  /** Null where it failed, and that was answered. */
  private @Nullable Begun<Claim> begin(
      IdempotencyKey key, Fingerprint fingerprint, HttpServletResponse response)
      throws IOException {
    try {
      return claims.begin(key, fingerprint);
    } catch (InvalidArgumentException e) {
      throw e;
    } catch (HoldfastException e) {
      Answers.tell(key, e);
      Problems.of(e).send(response);
      return null;
    }
  }
}
