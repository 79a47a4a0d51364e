package dev.holdfast.event;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Remembers what the last handler has thrown, which the engine itself does not. For one thread. */
final class LastFailure {
  private volatile @Nullable Throwable last;

  @Nullable Throwable last() {
    return last;
  }

  void forget() {
    last = null;
  }

  /** The same settings, with handlers that are watched. */
  WorkerOptions watching(WorkerOptions settings) {
    Map<String, HandlerSpec<?>> watched = new HashMap<>();
    settings.handlers().forEach((type, spec) -> watched.put(type, watching(spec)));
    return new WorkerOptions(
        settings.name(),
        Map.copyOf(watched),
        settings.queues(),
        settings.everyQueue(),
        settings.lease(),
        settings.poll(),
        settings.maxCrashes(),
        settings.keepHistory());
  }

  private <P> HandlerSpec<P> watching(HandlerSpec<P> spec) {
    return new HandlerSpec<>(spec.type(), spec.options(), watching(spec.body()));
  }

  private <P> HandlerSpec.Body<P> watching(HandlerSpec.Body<P> body) {
    if (body instanceof HandlerSpec.Single<P> single) {
      return new HandlerSpec.Single<>(
          (payload, context) -> watched(() -> single.handler().handle(payload, context)));
    }
    if (body instanceof HandlerSpec.InTransaction<P> transactional) {
      return new HandlerSpec.InTransaction<>(
          (payload, tx, context) ->
              watched(
                  () -> {
                    transactional.handler().handle(payload, tx, context);
                    return true;
                  }));
    }
    if (body instanceof HandlerSpec.Batch<P> batch) {
      return new HandlerSpec.Batch<>(
          batch.most(),
          items ->
              watched(
                  () -> {
                    batch.handler().handle(items);
                    return true;
                  }));
    }
    HandlerSpec.Async<P> async = (HandlerSpec.Async<P>) body;
    return new HandlerSpec.Async<>(
        (payload, context) ->
            watched(() -> async.handler().handle(payload, context))
                .whenComplete((outcome, failure) -> last = failure == null ? last : failure));
  }

  private <T> T watched(Callable<T> handler) throws Exception {
    try {
      return handler.call();
    } catch (Throwable failure) {
      last = failure;
      throw failure;
    }
  }
}
