package dev.holdfast.event;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Remembers what the last handler has thrown, which the engine itself does not. For one thread. */
final class Thrown {
  private @Nullable Throwable last;

  @Nullable Throwable last() {
    return last;
  }

  void forget() {
    last = null;
  }

  /** The same settings, with handlers that are watched. */
  WorkerSettings watching(WorkerSettings settings) {
    Map<String, HandlerSpec<?>> watched = new HashMap<>();
    settings.handlers().forEach((type, spec) -> watched.put(type, watching(spec)));
    return new WorkerSettings(
        settings.name(),
        Map.copyOf(watched),
        settings.queues(),
        settings.lease(),
        settings.poll(),
        settings.mostCrashes(),
        settings.keepHistory());
  }

  private <P> HandlerSpec<P> watching(HandlerSpec<P> spec) {
    Handler.WithOutcome<P> handler = spec.handler();
    TransactionalHandler<P> transactional = spec.transactional();
    BatchHandler.WithOutcomes<P> batch = spec.batch();
    return new HandlerSpec<>(
        spec.type(),
        spec.options(),
        spec.most(),
        handler == null
            ? null
            : (payload, context) -> {
              try {
                return handler.handle(payload, context);
              } catch (Throwable failure) {
                last = failure;
                throw failure;
              }
            },
        transactional == null
            ? null
            : (payload, tx, context) -> {
              try {
                transactional.handle(payload, tx, context);
              } catch (Throwable failure) {
                last = failure;
                throw failure;
              }
            },
        batch == null
            ? null
            : items -> {
              try {
                return batch.handle(items);
              } catch (Throwable failure) {
                last = failure;
                throw failure;
              }
            });
  }
}
