package dev.holdfast.client;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;

/**
 * Discards the body of a response that is retried. It is read, so that the connection can be used
 * again. If it does not end soon, it is cancelled together with its connection, because the next
 * attempts need the time.
 */
final class DiscardingBodySubscriber<T> implements BodySubscriber<T> {
  private static final long MAX_SECONDS = 1;

  private final CompletableFuture<T> end = new CompletableFuture<>();
  private volatile boolean ended;

  @Override
  public CompletionStage<T> getBody() {
    return end;
  }

  @Override
  @SuppressWarnings("NullAway") // the value is discarded
  public void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
    CompletableFuture<Void> unused =
        end.completeOnTimeout(null, MAX_SECONDS, TimeUnit.SECONDS)
            .thenRun(() -> cancelUnlessEnded(subscription));
  }

  private void cancelUnlessEnded(Subscription subscription) {
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
  @SuppressWarnings("NullAway") // the value is discarded
  public void onComplete() {
    ended = true;
    end.complete(null);
  }
}
