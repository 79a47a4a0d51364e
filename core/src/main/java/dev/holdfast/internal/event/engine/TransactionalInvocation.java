package dev.holdfast.internal.event.engine;

import dev.holdfast.LeaseLostException;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.CompletionUpdate;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs handlers in the transaction in which their events end. Thread-safe. */
final class TransactionalInvocation {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final Duration MAX_LIMIT = Duration.ofDays(1);

  private final EventBackend home;
  private final BatchCompleter completer;
  private final HandlerCode code;

  TransactionalInvocation(EventBackend home, BatchCompleter completer, HandlerCode code) {
    this.code = code;
    this.home = home;
    this.completer = completer;
  }

  /** Null where the event has ended along with the handler's own changes. */
  <P> @Nullable Completion call(
      HandlerExecution context,
      EventHandler<P> spec,
      EventHandler.Transactional<P> handler,
      P payload) {
    ClaimedEvent event = context.event;
    try {
      transactions(spec)
          .<Boolean, Exception>call(
              tx -> {
                if (!context.isOwned()) {
                  throw new NotOwnedException();
                }
                code.call(
                    () -> {
                      handler.handle(payload, tx, context);
                      return true;
                    });
                if (context.stopReason() == HandlerExecution.Stop.TIMEOUT) {
                  throw new TimeoutException("it returned too late, and is rolled back");
                }
                end(tx, event);
                return true;
              });
      completer.completed(context.event);
      return null;
    } catch (CommitUnknownException unknown) {
      return afterUnknownCommit(context, spec, unknown);
    } catch (NotOwnedException late) {
      return Completion.giveBack(context.event);
    } catch (LeaseLostException lost) {
      LOG.warn(
          "event-lease-lost: outcome of event {} rejected and its transaction rolled back; another"
              + " instance owns it now: {}",
          context.id(),
          lost.getMessage());
      completer.lost(context.event);
      return null;
    } catch (Throwable failure) {
      return OutcomeProcessor.failed(context, spec, failure);
    }
  }

  /**
   * A handler waits for the server as long as it may run, and not much longer; so does the server
   * for a handler, which may be suspended or cut off while it has locked the row of its event.
   */
  private Transactions transactions(EventHandler<?> spec) {
    Duration limit = spec.timeout().plus(GRACE);
    return limit.compareTo(MAX_LIMIT) > 0
        ? home.transactions()
        : home.transactions().idleTimeout(limit).networkTimeout(limit);
  }

  private void end(Transaction tx, ClaimedEvent event) {
    CompletionUpdate ending =
        new CompletionUpdate(event.id(), event.version(), EventStatus.COMPLETED, null);
    try {
      if (home.store().end(tx.connection(), event.shard(), List.of(ending)).isEmpty()) {
        EventId id = new EventId(event.shard(), event.id());
        throw new LeaseLostException(
            "event-lease-lost",
            "event " + id,
            OptionalLong.empty(),
            "Cannot complete event "
                + id
                + " at version "
                + event.version()
                + ": another instance owns it now. The changes of the handler are rolled back.",
            null);
      }
    } catch (SQLException e) {
      throw SqlBuilder.failed(tx, "completing an event in its handler's transaction", e);
    }
  }

  /** The lease was lost while the transaction was opened; the handler was not called. */
  private static final class NotOwnedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotOwnedException() {
      super("the lease was lost before the handler was called", null, false, false);
    }
  }

  /** Unknown is not success, nor failure: the event itself tells which it was. */
  private <P> @Nullable Completion afterUnknownCommit(
      HandlerExecution context, EventHandler<P> spec, CommitUnknownException unknown) {
    try {
      Optional<EventRecord> now =
          home.call(
              () -> "finding out about the event " + context.id(),
              connection ->
                  home.store().find(connection, context.event.shard(), context.event.id()));
      if (now.isPresent() && now.get().status() == EventStatus.COMPLETED) {
        completer.completed(context.event);
        return null;
      }
    } catch (RuntimeException e) {
      unknown.addSuppressed(e);
    }
    // conditional on the version, so it does no harm where the commit comes through after all
    return OutcomeProcessor.failed(context, spec, unknown).whileInDoubt();
  }
}
