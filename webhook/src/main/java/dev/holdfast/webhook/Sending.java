package dev.holdfast.webhook;

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
 * One attempt under way: resolve, judge, connect to one judged address after the other, exchange.
 * Whatever ends it first ends it, and the connection with it unless the exchange was complete.
 */
final class Sending implements Exchange.Listener {
  private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");
  private static final int MAX_ADDRESSES = 4;
  private static final int GONE = 410;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;

  private final WebhookCall call;
  private final Delivery delivery;
  private final SenderSettings settings;
  private final Connections connections;
  private final CompletableFuture<Attempt> outcome = new CompletableFuture<>();
  private final Instant startedAt;
  private final long startedNanos = System.nanoTime();
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile Phase phase = Phase.RESOLVING;
  private volatile @Nullable InetAddress address;
  private volatile @Nullable AsyncClientEndpoint endpoint;
  private volatile @Nullable Exchange exchange;

  private enum Phase {
    RESOLVING,
    CONNECTING,
    WAITING
  }

  Sending(WebhookCall call, Delivery delivery, SenderSettings settings, Connections connections) {
    this.call = call;
    this.delivery = delivery;
    this.settings = settings;
    this.connections = connections;
    this.startedAt = settings.clock().instant();
  }

  /** Tells what happened, on whichever thread has ended it, or at once if it has ended. */
  void whenEnded(Consumer<Attempt> told) {
    var unused = outcome.thenAccept(told);
  }

  void begin(Lookups lookups) {
    try {
      settings.limits().check(call);
    } catch (InvalidCallException outside) {
      finish(new Verdict.End(), String.valueOf(outside.getMessage()));
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
                    retry(Words.unresolved(host, Lookups.unwrapped(failure)));
                  } else {
                    resolved(addresses);
                  }
                });
  }

  private void resolved(List<InetAddress> addresses) {
    AddressGuard.Ruling ruling = settings.guard().judge(call.target(), addresses);
    if (ruling instanceof AddressGuard.Ruling.Allowed allowed) {
      phase = Phase.CONNECTING;
      connect(allowed.addresses(), 0);
    } else if (ruling instanceof AddressGuard.Ruling.Refused refused) {
      finish(new Verdict.End(), refused.reason());
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
                retry(Words.unconnected(cause, settings.connectTimeout()));
              }
            }

            @Override
            public void cancelled() {
              retry("the connection was given up");
            }
          });
    } catch (RuntimeException closed) {
      retry("the sender was closed");
    }
  }

  private void exchangeOn(AsyncClientEndpoint connected) {
    Exchange made;
    try {
      Excerpt excerpt = new Excerpt(settings.excerpt(), Redaction.secretsOf(call));
      made =
          new Exchange(
              request(),
              call.bodyItself(),
              call.bodyItself().length > 0 || WITH_BODY.contains(call.method()),
              excerpt,
              Math.max(settings.readLimit(), settings.excerpt()),
              this);
    } catch (RuntimeException unsendable) {
      connected.releaseAndDiscard();
      finish(new Verdict.End(), "the call cannot be sent: " + unsendable.getMessage());
      return;
    }
    exchange = made;
    endpoint = connected;
    phase = Phase.WAITING;
    if (ended.get()) {
      connected.releaseAndDiscard();
      return;
    }
    try {
      connected.execute(made, /* pushHandlerFactory= */ null, /* context= */ null);
    } catch (RuntimeException released) {
      // cut off between the look above and this
      failed(released);
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
    Instant now = settings.clock().instant();
    request.addHeader(WebhookHeaders.ID, delivery.webhookId());
    request.addHeader(WebhookHeaders.TIMESTAMP, WebhookSigner.timestamp(now));
    WebhookSigner signer = delivery.signer();
    if (signer != null) {
      request.addHeader(
          WebhookHeaders.SIGNATURE, signer.sign(delivery.webhookId(), now, call.bodyItself()));
    }
    request.addHeader(WebhookHeaders.ATTEMPT, Integer.toString(delivery.attempt()));
    request.addHeader(WebhookHeaders.FENCING_TOKEN, Long.toString(delivery.fencing()));
    return request;
  }

  @Override
  public void answered(boolean reusable) {
    AsyncClientEndpoint used = endpoint;
    Exchange done = exchange;
    Answer answer = done == null ? null : done.answer();
    if (used == null || answer == null || ended.get()) {
      return;
    }
    // given back before the attempt is told, so that the next call finds it
    if (reusable) {
      used.releaseAndReuse();
    }
    int status = answer.status();
    if (status >= 200 && status < 300) {
      finish(new Verdict.Success(), null);
    } else if (status == GONE) {
      finish(new Verdict.End(), "the target has answered 410: it is gone for good");
    } else if (status == TOO_MANY_REQUESTS || status == UNAVAILABLE) {
      Optional<Duration> after =
          RetryAfter.read(
              answer.retryAfter(),
              answer.date(),
              settings.clock().instant(),
              settings.retryAfter());
      finish(new Verdict.Retry(after), "the target has answered " + status);
    } else if (status >= 300 && status < 400) {
      retry("the target has answered " + status + ": redirects are not followed");
    } else {
      retry("the target has answered " + status);
    }
  }

  @Override
  public void failed(Exception cause) {
    Exchange broken = exchange;
    retry(Words.broken(cause, broken != null && broken.answer() != null));
  }

  /** The time is up. */
  void expire() {
    String within = " within " + Words.time(call.timeout());
    Exchange slow = exchange;
    retry(
        switch (phase) {
          case RESOLVING -> "the name " + call.target().host() + " did not resolve" + within;
          case CONNECTING -> "no connection" + within;
          case WAITING ->
              slow != null && slow.answer() != null
                  ? "the answer was not complete" + within
                  : "no answer" + within;
        });
  }

  void retry(String error) {
    finish(new Verdict.Retry(Optional.empty()), error);
  }

  private void finish(Verdict verdict, @Nullable String error) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    AsyncClientEndpoint used = endpoint;
    if (used != null) {
      // without effect where it was given back
      used.releaseAndDiscard();
    }
    InetAddress tried = address;
    Exchange seen = exchange;
    Answer answer = seen == null ? null : seen.answer();
    outcome.complete(
        new Attempt(
            startedAt,
            Duration.ofNanos(System.nanoTime() - startedNanos),
            Optional.ofNullable(tried).map(InetAddress::getHostAddress),
            answer == null ? OptionalInt.empty() : OptionalInt.of(answer.status()),
            seen == null ? "" : seen.text(),
            Optional.ofNullable(error),
            verdict));
  }
}
