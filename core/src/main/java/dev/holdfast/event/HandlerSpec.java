package dev.holdfast.event;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How events of one type are handled. Exactly one of the handlers is there.
 *
 * @param most how many events one call takes
 */
record HandlerSpec<P>(
    EventType<P> type,
    HandlerOptions options,
    int most,
    Handler.@Nullable WithOutcome<P> handler,
    @Nullable TransactionalHandler<P> transactional,
    BatchHandler.@Nullable WithOutcomes<P> batch) {

  Duration timeout() {
    return options.timeout();
  }
}
