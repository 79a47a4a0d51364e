package dev.holdfast.event;

import java.time.Duration;

/** How events of one type are handled. */
record HandlerSpec<P>(EventType<P> type, HandlerOptions options, Body<P> body) {

  /** The user's code, by its kind. */
  sealed interface Body<P> permits Single, InTransaction, Batch, Async {}

  record Single<P>(EventHandler.Returning<P> handler) implements Body<P> {}

  record InTransaction<P>(EventHandler.Transactional<P> handler) implements Body<P> {}

  record Batch<P>(int most, EventHandler.Batch<P> handler) implements Body<P> {}

  record Async<P>(EventHandler.Async<P> handler) implements Body<P> {}

  /** How many events one call takes. */
  int most() {
    return body instanceof Batch<P> batch ? batch.most() : 1;
  }

  Duration timeout() {
    return options.timeout();
  }
}
