package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.client.WebhookHeaders;
import dev.holdfast.client.WebhookSigner;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncClientEndpoint;
import org.apache.hc.core5.net.URIAuthority;
import org.jspecify.annotations.Nullable;

/**
 * One attempt in flight: resolves the host, checks its addresses, connects to one allowed address
 * after the other, and exchanges the messages. The first result counts. It closes the connection
 * unless the exchange was complete.
 */
final class CallExecution implements HttpExchange.Listener {
  private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");
  private static final int MAX_ADDRESSES = 4;
  private static final int GONE = 410;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;

  private final WebhookCall call;
  private final byte[] body;
  private final Delivery delivery;
  private final SenderOptions options;
  private final ConnectionPool connections;
  private final CompletableFuture<Attempt> result = new CompletableFuture<>();
  private final Instant startedAt;
  private final long startedNanos = System.nanoTime();
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile Phase phase = Phase.RESOLVING;
  private volatile @Nullable InetAddress address;
  private volatile @Nullable AsyncClientEndpoint endpoint;
  private volatile @Nullable HttpExchange exchange;

  private enum Phase {
    RESOLVING,
    CONNECTING,
    WAITING
  }

  CallExecution(
      WebhookCall call, Delivery delivery, SenderOptions options, ConnectionPool connections) {
    this.call = call;
    this.body = call.bodyBytes();
    this.delivery = delivery;
    this.options = options;
    this.connections = connections;
    this.startedAt = options.clock().instant();
  }

  /** Calls the listener on the thread that ends the attempt, or now if it has ended. */
  void whenEnded(Consumer<Attempt> listener) {
    var unused = result.thenAccept(listener);
  }

  void start(HostLookups lookups) {
    try {
      options.limits().check(call);
    } catch (InvalidArgumentException exceeded) {
      finish(new Attempt.Result.Fail(), String.valueOf(exceeded.getMessage()));
      return;
    }
    InetAddress literal = call.target().parsedHost().literal();
    if (literal != null) {
      resolved(List.of(literal));
      return;
    }
    String host = call.target().host();
    var unused =
        lookups
            .resolve(host)
            .whenComplete(
                (addresses, failure) -> {
                  if (failure != null) {
                    retry(FailureMessages.notResolved(host, HostLookups.unwrapped(failure)));
                  } else {
                    resolved(addresses);
                  }
                });
  }

  private void resolved(List<InetAddress> addresses) {
    AddressGuard.Decision decision = options.guard().check(call.target(), addresses);
    if (decision instanceof AddressGuard.Decision.Allowed allowed) {
      phase = Phase.CONNECTING;
      connect(allowed.addresses(), 0);
    } else if (decision instanceof AddressGuard.Decision.Rejected rejected) {
      finish(new Attempt.Result.Fail(), rejected.reason());
    }
  }

  private void connect(List<InetAddress> addresses, int index) {
    if (ended.get()) {
      return;
    }
    InetAddress next = addresses.get(index);
    address = next;
    try {
      connections.lease(
          call.target(),
          next,
          new FutureCallback<>() {
            @Override
            public void completed(AsyncClientEndpoint connected) {
              exchangeOn(connected);
            }

            @Override
            public void failed(Exception cause) {
              if (index + 1 < Math.min(addresses.size(), MAX_ADDRESSES)) {
                connect(addresses, index + 1);
              } else {
                retry(FailureMessages.notConnected(cause, options.connectTimeout()));
              }
            }

            @Override
            public void cancelled() {
              retry("the connection was abandoned");
            }
          });
    } catch (RuntimeException closed) {
      retry("the sender was closed");
    }
  }

  private void exchangeOn(AsyncClientEndpoint connected) {
    HttpExchange created;
    try {
      Excerpt excerpt = new Excerpt(options.excerptSize(), Redaction.secretsOf(call));
      created =
          new HttpExchange(
              request(),
              body,
              body.length > 0 || WITH_BODY.contains(call.method()),
              excerpt,
              Math.max(options.readLimit(), options.excerptSize()),
              this);
    } catch (RuntimeException unsendable) {
      connected.releaseAndDiscard();
      finish(new Attempt.Result.Fail(), "the call cannot be sent: " + unsendable.getMessage());
      return;
    }
    exchange = created;
    endpoint = connected;
    phase = Phase.WAITING;
    if (ended.get()) {
      connected.releaseAndDiscard();
      return;
    }
    try {
      connected.execute(created, /* pushHandlerFactory= */ null, /* context= */ null);
    } catch (RuntimeException released) {
      // ended between the check above and this
      onFailure(released);
    }
  }

  private BasicHttpRequest request() {
    Target target = call.target();
    BasicHttpRequest request =
        new BasicHttpRequest(
            call.method(),
            target.scheme(),
            new URIAuthority(target.host(), target.shownPort()),
            call.requestTarget());
    call.headers().forEach(header -> request.addHeader(header.name(), header.value()));
    if (!request.containsHeader("user-agent")) {
      request.addHeader("User-Agent", "Holdfast");
    }
    Instant now = options.clock().instant();
    request.addHeader(WebhookHeaders.ID, delivery.webhookId());
    request.addHeader(WebhookHeaders.TIMESTAMP, WebhookSigner.timestamp(now));
    WebhookSigner signer = delivery.signer();
    if (signer != null) {
      request.addHeader(WebhookHeaders.SIGNATURE, signer.sign(delivery.webhookId(), now, body));
    }
    request.addHeader(WebhookHeaders.ATTEMPT, Integer.toString(delivery.attempt()));
    request.addHeader(WebhookHeaders.FENCING_TOKEN, Long.toString(delivery.fencingToken()));
    return request;
  }

  @Override
  public void onResponse(boolean reusable) {
    AsyncClientEndpoint used = endpoint;
    HttpExchange current = exchange;
    HttpExchange.ResponseHead response = current == null ? null : current.response();
    if (used == null || response == null || ended.get()) {
      return;
    }
    // released before the attempt completes, so that the next call can use it
    if (reusable) {
      used.releaseAndReuse();
    }
    int status = response.status();
    if (status >= 200 && status < 300) {
      finish(new Attempt.Result.Success(), null);
    } else if (status == GONE) {
      finish(new Attempt.Result.Fail(), "the target responded with 410: it is gone permanently");
    } else if (status == TOO_MANY_REQUESTS || status == UNAVAILABLE) {
      Optional<Duration> after =
          RetryAfter.parse(
              response.retryAfter(),
              response.date(),
              options.clock().instant(),
              options.maxRetryAfter());
      finish(new Attempt.Result.Retry(after), "the target responded with " + status);
    } else if (status >= 300 && status < 400) {
      retry("the target responded with " + status + ": redirects are not followed");
    } else {
      retry("the target responded with " + status);
    }
  }

  @Override
  public void onFailure(Exception cause) {
    HttpExchange current = exchange;
    retry(FailureMessages.interrupted(cause, current != null && current.response() != null));
  }

  void timeOut() {
    String within = " within " + FailureMessages.time(call.timeout());
    HttpExchange slow = exchange;
    retry(
        switch (phase) {
          case RESOLVING -> "the name " + call.target().host() + " did not resolve" + within;
          case CONNECTING -> "no connection" + within;
          case WAITING ->
              slow != null && slow.response() != null
                  ? "the response was not complete" + within
                  : "no response" + within;
        });
  }

  void retry(String error) {
    finish(new Attempt.Result.Retry(Optional.empty()), error);
  }

  private void finish(Attempt.Result outcome, @Nullable String error) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    AsyncClientEndpoint used = endpoint;
    if (used != null) {
      // no effect if it was released
      used.releaseAndDiscard();
    }
    InetAddress tried = address;
    HttpExchange seen = exchange;
    HttpExchange.ResponseHead response = seen == null ? null : seen.response();
    result.complete(
        new Attempt(
            startedAt,
            Duration.ofNanos(System.nanoTime() - startedNanos),
            Optional.ofNullable(tried).map(InetAddress::getHostAddress),
            response == null ? OptionalInt.empty() : OptionalInt.of(response.status()),
            seen == null ? "" : seen.text(),
            Optional.ofNullable(error),
            outcome));
  }
}
