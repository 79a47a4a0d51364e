package dev.holdfast.idempotency.http;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer that nobody sees. It is not waited for: one that never ends would take the
 * time of the attempts after it. What comes until {@link #end} is read, so that the connection may
 * be used again; what has not ended by then is given up, with its connection.
 */
final class ThrownAway<T> implements BodySubscriber<T> {
  private @Nullable Subscription subscription;
  private boolean ended;

  @Override
  @SuppressWarnings("NullAway") // nobody sees it
  public CompletionStage<T> getBody() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public synchronized void onSubscribe(Subscription given) {
    subscription = given;
    if (ended) {
      given.cancel();
    } else {
      given.request(Long.MAX_VALUE);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> item) {}

  @Override
  public void onError(Throwable failure) {}

  @Override
  public void onComplete() {}

  synchronized void end() {
    ended = true;
    if (subscription != null) {
      subscription.cancel();
    }
  }
}
