package dev.holdfast.event;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How events of one type are handled. Exactly one of the handlers is there. */
record HandlerSpec<P>(
    EventType<P> type,
    HandlerOptions options,
    Handler.@Nullable WithOutcome<P> handler,
    @Nullable TransactionalHandler<P> transactional) {

  Duration timeout() {
    return options.timeout();
  }
}
