package dev.holdfast.idempotency;

import dev.holdfast.idempotency.IdempotencyStore.Claimed;
import dev.holdfast.idempotency.TransactionalIdempotencyStore.Answering;
import dev.holdfast.idempotency.TransactionalIdempotencyStore.Beginning;
import dev.holdfast.sql.CommitUnknownException;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.Transactions;
import dev.holdfast.sql.Work;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Work with its record in one transaction:
 *
 * <ol>
 *   <li>write the record without an answer; where there is one already, roll back and say what it
 *       says;
 *   <li>run the work;
 *   <li>write the answer into the record, and commit.
 * </ol>
 *
 * <p>Where the key was answered here not long ago, it looks for the answer before anything else.
 *
 * <p>Where the database refused the first statement for reasons that a fresh transaction may cure,
 * it begins anew. Where the answer to the commit was lost, it also begins anew: either the record
 * is there, from this very attempt, or the transaction has come to nothing.
 */
final class Once {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final int MOST_BEGINNINGS = 20;

  /** So long at least is waited for the end of a transaction whose commit was not answered. */
  private static final Duration DOUBT = Duration.ofSeconds(5);

  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Transactions transactions;
  private final TransactionalIdempotencyStore store;
  private final KeepSettings settings;
  private final Replies replies;
  private final Recent recent;

  Once(
      Transactions transactions,
      TransactionalIdempotencyStore store,
      KeepSettings settings,
      Recent recent) {
    this.recent = recent;
    // the caller has looked for a transaction to join
    this.transactions = transactions.requiresNew();
    this.store = store;
    this.settings = settings;
    this.replies = new Replies(settings);
  }

  /** What was asked for, by whom. */
  record Asked(IdempotencyKey key, Fingerprint fingerprint, UUID attempt) {}

  /** Ends a transaction in which nothing was begun; never reaches a user. */
  private static final class NotBegun extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Claimed claimed;

    NotBegun(Claimed claimed) {
      super(null, null, false, false);
      this.claimed = claimed;
    }
  }

  /** Ends a transaction whose beginning the database refused; never reaches a user. */
  private static final class BeginningFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient SqlFailedException failure;

    BeginningFailed(SqlFailedException failure) {
      super(null, null, false, false);
      this.failure = failure;
    }
  }

  /** Ends a transaction whose work failed; never reaches a user. */
  private static final class WorkFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Exception failure;

    WorkFailed(Exception failure) {
      super(null, null, true, false);
      this.failure = failure;
    }
  }

  <T extends @Nullable Object, X extends Exception> OnceResult<T> call(
      Asked asked, ReplyCodec<T> codec, Work<T, X> work) throws X {
    AtomicReference<OnceResult<T>> executed = new AtomicReference<>();
    try {
      OnceResult<T> told =
          commit(
              asked,
              codec,
              tx -> {
                T reply;
                try {
                  reply = work.in(tx);
                } catch (Exception e) {
                  throw new WorkFailed(e);
                }
                executed.set(new OnceResult.Executed<>(reply));
                return replies.answer(asked.key(), codec.write(reply));
              });
      return told == null ? executed.get() : told;
    } catch (WorkFailed e) {
      for (Throwable later : e.getSuppressed()) {
        e.failure.addSuppressed(later);
      }
      RefusedException refused = settings.refusal(e.failure);
      if (refused == null) {
        throw Once.<X>asThrown(e.failure);
      }
      return refuse(asked, codec, refused);
    }
  }

  /** Keeps a refusal, in a transaction of its own: that of the work is rolled back. */
  private <T extends @Nullable Object> OnceResult<T> refuse(
      Asked asked, ReplyCodec<T> codec, RefusedException refused) {
    StoredReply reply = replies.refusal(asked.key(), refused);
    OnceResult<T> told = commit(asked, codec, tx -> reply);
    if (told == null) {
      throw refused;
    }
    return told;
  }

  /** What happens between the beginning of a record and its answer. */
  private interface Body {
    StoredReply run(Transaction tx);
  }

  /** Null where {@code body} was committed now. */
  private <T extends @Nullable Object> @Nullable OnceResult<T> commit(
      Asked asked, ReplyCodec<T> codec, Body body) {
    CommitUnknownException unknown = null;
    long deadline = after(settings.patience());
    for (int beginnings = 1; ; beginnings++) {
      long until = deadline;
      try {
        transactions.run(
            tx -> {
              OpenRecord record = beginOwn(tx, asked, until);
              boolean unused = record.writeLast(body.run(tx));
            });
        recent.add(asked.key());
        return null;
      } catch (NotBegun e) {
        return told(asked, codec, e.claimed, unknown);
      } catch (BeginningFailed e) {
        if (unknown != null) {
          throw with(unknown, e.failure);
        }
        if (beginnings == MOST_BEGINNINGS || !e.failure.retryable()) {
          throw e.failure;
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
      } catch (CommitUnknownException e) {
        if (unknown != null) {
          throw with(unknown, e);
        }
        unknown = e;
        deadline = after(settings.patience().compareTo(DOUBT) < 0 ? DOUBT : settings.patience());
      } catch (SqlFailedException e) {
        // no connection, or no commit: what the work threw comes as WorkFailed
        throw unknown == null ? e : with(unknown, e);
      }
    }
  }

  private static long after(Duration time) {
    return System.nanoTime() + time.toNanos();
  }

  private static CommitUnknownException with(CommitUnknownException unknown, Throwable later) {
    unknown.addSuppressed(later);
    return unknown;
  }

  /** What work threw: one of the exceptions that it declares, or an unchecked one. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Exception> X asThrown(Exception failure) {
    return (X) failure;
  }

  private OpenRecord beginOwn(Transaction tx, Asked asked, long deadline) {
    Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    @Nullable Claimed claimed;
    try {
      claimed =
          recent.has(asked.key()) ? store.answered(tx, asked.key(), asked.fingerprint()) : null;
      if (claimed == null) {
        claimed = store.begin(tx, beginning(asked, left), true);
      }
    } catch (SqlFailedException e) {
      throw new BeginningFailed(e);
    }
    if (claimed instanceof Claimed.Granted) {
      return record(tx, asked);
    }
    throw new NotBegun(claimed);
  }

  <T extends @Nullable Object, X extends Exception> OnceResult<T> join(
      Transaction tx, Asked asked, ReplyCodec<T> codec, Work<T, X> work) throws X {
    Claimed claimed = store.begin(tx, beginning(asked, settings.patience()), false);
    if (!(claimed instanceof Claimed.Granted)) {
      return told(asked, codec, claimed, null);
    }
    try {
      T reply = work.in(tx);
      record(tx, asked).write(replies.answer(asked.key(), codec.write(reply)));
      return new OnceResult.Executed<>(reply);
    } catch (Throwable failure) {
      // or the record would be committed without an answer
      tx.mustRollBack(failure);
      throw failure;
    }
  }

  Begun<OpenRecord> begin(Transaction tx, Asked asked) {
    Claimed claimed = store.begin(tx, beginning(asked, settings.patience()), false);
    return claimed instanceof Claimed.Granted
        ? new Begun.Open<>(record(tx, asked))
        : replies.told(asked.key(), claimed);
  }

  private Beginning beginning(Asked asked, Duration patience) {
    return new Beginning(
        asked.key(), asked.fingerprint(), asked.attempt(), settings.retention(), patience);
  }

  private OpenRecord record(Transaction tx, Asked asked) {
    return new OpenRecord(
        store, replies, tx, new Answering(asked.key(), asked.attempt(), settings.retention()));
  }

  /** What a record that is there means to whoever asks. */
  private <T extends @Nullable Object> OnceResult<T> told(
      Asked asked, ReplyCodec<T> codec, Claimed claimed, @Nullable CommitUnknownException unknown) {
    if (claimed instanceof Claimed.Done done) {
      recent.add(asked.key());
      boolean mine = done.attempt().equals(asked.attempt());
      T reply = codec.read(replies.open(asked.key(), done.reply(), mine));
      return mine ? new OnceResult.Executed<>(reply) : new OnceResult.Replayed<>(reply);
    }
    if (unknown != null) {
      // it may still be on its way
      throw unknown;
    }
    if (claimed instanceof Claimed.Busy busy) {
      return new OnceResult.InProgress<>(busy.since(), retryAfter(busy));
    }
    if (claimed instanceof Claimed.OtherPayload) {
      return new OnceResult.Mismatch<>();
    }
    throw unanswered(asked.key());
  }

  static Duration retryAfter(Claimed.Busy busy) {
    Duration left = busy.left();
    return left == null || left.compareTo(RETRY_AFTER) < 0 ? RETRY_AFTER : left;
  }

  static IncompleteRecordException unanswered(IdempotencyKey key) {
    return new IncompleteRecordException(
        key,
        "has no answer: it is worked on in this very transaction, or its transaction was committed"
            + " without complete(…), or it has steps of claims and only they can go on with it;"
            + " look at what was done, then forget(…) it");
  }
}
