package dev.holdfast.event;

import java.time.Duration;

/** How events of one type are handled. */
record HandlerSpec<P>(EventType<P> type, HandlerOptions options, Body<P> body) {

  /** The user's code, by its kind. */
  sealed interface Body<P> permits Single, InTransaction, Batch, Async {}

  record Single<P>(Handler.WithOutcome<P> handler) implements Body<P> {}

  record InTransaction<P>(TransactionalHandler<P> handler) implements Body<P> {}

  record Batch<P>(int most, BatchHandler.WithOutcomes<P> handler) implements Body<P> {}

  record Async<P>(Handler.Asynchronous<P> handler) implements Body<P> {}

  /** How many events one call takes. */
  int most() {
    return body instanceof Batch<P> batch ? batch.most() : 1;
  }

  Duration timeout() {
    return options.timeout();
  }
}
