package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;
import dev.holdfast.idempotency.IdempotencyStore.Hold;
import dev.holdfast.idempotency.IdempotencyStore.Step;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.CommitUnknownException;
import dev.holdfast.sql.Transactions;
import dev.holdfast.sql.Work;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right to work on a request, for a time that is prolonged as long as its process lives, and
 * the steps of it that are done.
 *
 * <p>A step that was recorded is not run again: whoever goes on with the request, after a failure
 * or a crash, gets what came out of it. A step that failed, or whose process died before it was
 * recorded, is run again: what it does outside must bear that, for example by an idempotency key of
 * its own, {@link #keyFor}. Whoever has lost the claim can record nothing any more.
 *
 * <p>Steps are for one thread at a time.
 */
public final class Claim {
  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);
  private static final int LONGEST_NAME = 200;

  private final IdempotencyStore store;
  private final Replies replies;
  private final KeepSettings settings;
  private final @Nullable Transactions transactions;
  private final Hold hold;
  private final Holding holding;
  private final Duration lease;
  private final int attempts;
  private final Map<String, byte[]> steps = new LinkedHashMap<>();
  private final Set<String> answered = new HashSet<>();
  private boolean ended;

  Claim(
      IdempotencyStore store,
      KeepSettings settings,
      @Nullable Transactions transactions,
      Hold hold,
      Holding holding,
      Duration lease,
      IdempotencyStore.Claimed.Granted granted) {
    this.store = store;
    this.replies = new Replies(settings);
    this.settings = settings;
    this.transactions = transactions;
    this.hold = hold;
    this.holding = holding;
    this.lease = lease;
    this.attempts = granted.attempts();
    for (Step step : granted.steps()) {
      steps.put(step.name(), step.value());
    }
  }

  public IdempotencyKey key() {
    return hold.key();
  }

  /** How often this request was begun, with this time. */
  public int attempts() {
    return attempts;
  }

  /** The names of the steps that are recorded, in their order. */
  public List<String> steps() {
    return List.copyOf(steps.keySet());
  }

  /** Whether it is certain that nobody else works on the request; the store is not asked. */
  public boolean isHeld() {
    return holding.isHeld();
  }

  /**
   * Goes on only where it is certain that nobody else works on the request.
   *
   * @throws ClaimLostException where it is not
   */
  public void ensureHeld() {
    if (!isHeld()) {
      throw new ClaimLostException(key(), "going on");
    }
  }

  /** A key for a call to somebody else that is the same whoever makes it: by request and step. */
  public String keyFor(String step) {
    requireName(step);
    byte[] name = step.getBytes(StandardCharsets.UTF_8);
    return UUID.nameUUIDFromBytes(Fingerprint.of(key().digest(), name).sha256()).toString();
  }

  /**
   * Runs {@code action} and records what came out of it, unless that was done before.
   *
   * @param name by which the step is known; from 1 to 200 characters, another one for each step:
   *     the same twice in one attempt is refused
   * @throws ClaimLostException where the claim was lost before, or before it was recorded
   * @throws ReplyTooLargeException where what came out of it is too large; it is not recorded
   */
  public <T extends @Nullable Object, X extends Exception> T step(
      String name, ReplyCodec<T> codec, StepAction<T, X> action) throws X {
    requireName(name);
    Require.notNull(codec, "codec");
    Require.notNull(action, "action");
    requireUnlocked();
    requireUnanswered(name);
    byte[] known = steps.get(name);
    if (known != null) {
      T before = codec.read(known);
      answered.add(name);
      return before;
    }
    ensureHeld();
    T outcome = action.run();
    Step step = step(name, codec.write(outcome), true);
    long asked = System.nanoTime();
    boolean held = Uninterrupted.of(() -> Tries.of(() -> store.record(hold, step, lease)));
    recorded(step, asked, held);
    return outcome;
  }

  /**
   * As {@link #step}, in a transaction: what it changes and its record are committed together, so
   * that it takes effect once even where its process dies.
   *
   * <p>It has a connection of the pool for itself, and renewals need one more: where all are taken
   * by such steps for longer than the lease, the claims are lost. In a transaction that reads as of
   * its beginning (REPEATABLE READ or stricter on PostgreSQL and H2, and on MariaDB with {@code
   * innodb_snapshot_isolation}) the claim is not renewed while the step runs, which then has to be
   * done within two thirds of the lease.
   */
  public <T extends @Nullable Object, X extends Exception> T stepInTransaction(
      String name, ReplyCodec<T> codec, Work<T, X> work) throws X {
    requireName(name);
    Require.notNull(codec, "codec");
    Require.notNull(work, "work");
    requireUnlocked();
    requireUnanswered(name);
    byte[] known = steps.get(name);
    if (known != null) {
      T before = codec.read(known);
      answered.add(name);
      return before;
    }
    Transactions own = transactions;
    if (own == null || !(store instanceof TransactionalIdempotencyStore transactional)) {
      throw new UnsupportedOperationException(
          "a step in a transaction needs records in the same database; use claims() of"
              + " Idempotency");
    }
    ensureHeld();
    byte[][] written = new byte[1][];
    T outcome;
    try {
      outcome =
          new StepTransaction(own, transactional, hold, holding)
              .run(
                  work,
                  answer -> {
                    Step step = step(name, codec.write(answer), false);
                    written[0] = step.value();
                    return step;
                  },
                  this::lostWhile);
    } catch (CommitUnknownException e) {
      // only whoever takes it over can tell whether the step is recorded
      holding.lose();
      throw e;
    }
    steps.put(name, written[0]);
    answered.add(name);
    return outcome;
  }

  /**
   * @param done whether it took effect already, whatever becomes of its record
   */
  private Step step(String name, byte[] value, boolean done) {
    Require.notNull(value, "what a codec has written");
    if (value.length > settings.largest()) {
      throw ReplyTooLargeException.ofStep(name, value.length, settings.largest(), done);
    }
    Step step = new Step(name, value);
    long all = size(step.name(), value);
    for (Map.Entry<String, byte[]> earlier : steps.entrySet()) {
      all += size(earlier.getKey(), earlier.getValue());
    }
    if (all > KeepSettings.LARGEST_EVER) {
      throw ReplyTooLargeException.ofSteps(key(), name, all, KeepSettings.LARGEST_EVER, done);
    }
    return step;
  }

  /** How much room it takes in a record, with the lengths of both. */
  private static long size(String name, byte[] value) {
    return 2L * Integer.BYTES + name.getBytes(StandardCharsets.UTF_8).length + value.length;
  }

  private void recorded(Step step, long asked, boolean held) {
    if (!held) {
      throw lostWhile("recording the step '" + step.name() + "'");
    }
    holding.extended(asked);
    steps.put(step.name(), step.value());
    answered.add(step.name());
  }

  private ClaimLostException lostWhile(String doing) {
    holding.lose();
    return new ClaimLostException(key(), doing);
  }

  /** Or it would wait for the lock of its own step, for ever. */
  private void requireUnlocked() {
    Require.that(
        !holding.isResting(),
        "a claim must not be used inside of its step in a transaction, which has its record locked;"
            + " use it before or after that step");
  }

  /** Or a loop would do its first round only, and take its outcome for that of all. */
  private void requireUnanswered(String name) {
    Require.that(
        !answered.contains(name),
        () ->
            "each step must have a name of its own, and '"
                + name
                + "' was done before by this attempt; in a loop, put what differs into the name");
  }

  private static void requireName(String name) {
    IdempotencyKey.requireText(name, 1, LONGEST_NAME, "the name of a step");
  }

  /**
   * Ends the request with this answer, which is given to all who repeat it. An answer that cannot
   * be kept, because it is too large, or its vault fails, or the store refuses it for good, is not:
   * those who repeat it are told so, because it took effect.
   *
   * @throws ClaimLostException where the claim was lost: the answer is not kept
   */
  public void complete(byte[] reply) {
    Require.notNull(reply, "reply");
    end(() -> completed(reply.clone()));
  }

  private boolean completed(byte[] reply) {
    try {
      return kept(replies.answerOrItsSize(key(), reply));
    } catch (RuntimeException | Error e) {
      if (mayPass(e)) {
        if (!storeAnswers()) {
          throw e;
        }
        try {
          return kept(replies.answerOrItsSize(key(), reply));
        } catch (RuntimeException | Error again) {
          e.addSuppressed(again);
        }
      }
      boolean held;
      try {
        held = kept(Replies.size(reply.length));
      } catch (RuntimeException | Error again) {
        e.addSuppressed(again);
        throw e;
      }
      LOG.warn(
          "the answer of {} bytes to {} cannot be kept, and whoever repeats it is told so: {}",
          reply.length,
          key(),
          e.toString());
      if (e instanceof Error) {
        throw e;
      }
      return held;
    }
  }

  private static boolean mayPass(Throwable failure) {
    return failure instanceof HoldfastException own && own.retryable();
  }

  /** MariaDB closes the connection where a statement is too large: so it may be there all along. */
  private boolean storeAnswers() {
    try {
      boolean unused = Uninterrupted.of(() -> store.renew(hold, lease));
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }

  /**
   * Ends the request without its answer, which was too large to be held: those who repeat it are
   * told so.
   *
   * @param size how many bytes the answer had
   * @throws ClaimLostException where the claim was lost
   */
  public void completeUnkept(long size) {
    Require.that(size >= 0, "the size of an answer must not be negative");
    end(() -> kept(Replies.size(size)));
  }

  /**
   * Ends the request with a refusal, which is given to all who repeat it.
   *
   * @throws ClaimLostException where the claim was lost: the refusal is not kept
   * @throws ReplyTooLargeException where it is too large to be kept
   */
  public void refuse(byte[] reply) {
    refuse(new RefusedException(reply));
  }

  void refuse(RefusedException refused) {
    end(() -> kept(replies.refusal(key(), refused)));
    if (!steps.isEmpty()) {
      // the record forgets them, and somebody may have to look after what they did
      LOG.warn("{} was refused after the steps {}, which are not undone", key(), steps.keySet());
    }
  }

  private boolean kept(StoredReply reply) {
    return Uninterrupted.of(
        () -> Tries.of(() -> store.complete(hold, reply, settings.retention())));
  }

  private void end(BooleanSupplier keeping) {
    requireUnlocked();
    Require.that(!ended, "a claim must be completed, refused or given back once only");
    boolean held;
    try {
      held = keeping.getAsBoolean();
    } catch (ReplyTooLargeException e) {
      // it can still be ended in another way
      throw e;
    } catch (Throwable e) {
      // where the store did not answer, nobody can tell: the claim runs out, or is complete
      holding.end();
      throw e;
    }
    holding.end();
    if (!held) {
      throw new ClaimLostException(key(), "keeping the answer");
    }
    ended = true;
  }

  /**
   * Gives the request back: whoever repeats it goes on with it at once. Where a step whose commit
   * was not answered is still on its way, that fails, and it runs out.
   *
   * @return whether it was still held
   */
  public boolean release() {
    return release(Duration.ZERO);
  }

  /**
   * Renews the claim no longer, for who cannot tell whether its work goes on: it is given back only
   * when it has run out.
   */
  public void letRunOut() {
    holding.end();
  }

  boolean release(Duration pause) {
    requireUnlocked();
    if (ended) {
      return false;
    }
    holding.end();
    boolean held = Uninterrupted.of(() -> Tries.of(() -> store.release(hold, pause)));
    ended = true;
    return held;
  }

  Holding holding() {
    return holding;
  }
}
