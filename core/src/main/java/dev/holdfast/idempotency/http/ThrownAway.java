package dev.holdfast.idempotency.http;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;

/**
 * The body of an answer that nobody sees. It is read, so that the connection can be used again; but
 * one that does not end soon is given up with its connection, because the attempts after it need
 * the time.
 */
final class ThrownAway<T> implements BodySubscriber<T> {
  private static final long MAX_SECONDS = 1;

  private final CompletableFuture<T> end = new CompletableFuture<>();
  private volatile boolean ended;

  @Override
  public CompletionStage<T> getBody() {
    return end;
  }

  @Override
  @SuppressWarnings("NullAway") // nobody sees what it is completed with
  public void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
    CompletableFuture<Void> unused =
        end.completeOnTimeout(null, MAX_SECONDS, TimeUnit.SECONDS)
            .thenRun(() -> giveUp(subscription));
  }

  private void giveUp(Subscription subscription) {
    if (!ended) {
      subscription.cancel();
    }
  }

  @Override
  public void onNext(List<ByteBuffer> item) {}

  @Override
  public void onError(Throwable failure) {
    onComplete();
  }

  @Override
  @SuppressWarnings("NullAway") // nobody sees what it is completed with
  public void onComplete() {
    ended = true;
    end.complete(null);
  }
}
