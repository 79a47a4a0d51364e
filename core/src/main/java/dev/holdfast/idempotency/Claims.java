package dev.holdfast.idempotency;

import dev.holdfast.BackgroundService;
import dev.holdfast.idempotency.IdempotencyStore.Claimed;
import dev.holdfast.idempotency.IdempotencyStore.FlowInput;
import dev.holdfast.idempotency.IdempotencyStore.Hold;
import dev.holdfast.idempotency.IdempotencyStore.Request;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.Transactions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests take effect once whose effects are outside of the database, such as at a payment
 * gateway: whoever works on one holds its claim, and records each step that is done.
 *
 * <pre>{@code
 * claims.run(key, fingerprint, ReplyCodecs.text(), claim -> {
 *   String charge = claim.step("charge", ReplyCodecs.text(),
 *       () -> gateway.charge(order, claim.keyFor("charge")));
 *   return claim.stepInTransaction("order", ReplyCodecs.text(), tx -> orders.paid(tx, order, charge));
 * });
 * }</pre>
 *
 * <p>A claim is renewed while its process lives, and may be taken over only after it was given back
 * or has run out. Whoever lost it can neither record, complete, prolong nor give back anything: it
 * is known by a random number, not by its process. A request that failed or was left by a crash
 * goes on from its last recorded step, when it is repeated or by a {@link #completer completer}.
 *
 * <p>By default a claim lasts 30 s unless it is renewed, a duplicate waits up to 5 s for the one
 * that is at work, records are kept for 24 h, and answers up to 1 MiB. Immutable and thread-safe:
 * every setting makes a copy.
 */
public final class Claims {
  private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
  private static final Duration LONGEST_LEASE = Duration.ofHours(1);

  private final IdempotencyStore store;
  private final KeepSettings settings;
  private final Duration lease;
  private final @Nullable Transactions transactions;
  private final Replies replies;

  private Claims(
      IdempotencyStore store,
      KeepSettings settings,
      Duration lease,
      @Nullable Transactions transactions) {
    this.store = store;
    this.settings = settings;
    this.lease = lease;
    this.transactions = transactions;
    this.replies = new Replies(settings);
  }

  /** With the records in this store. */
  public static Claims on(IdempotencyStore store) {
    return of(Require.notNull(store, "store"), KeepSettings.DEFAULT);
  }

  static Claims of(IdempotencyStore store, KeepSettings settings) {
    return new Claims(store, settings, Duration.ofSeconds(30), null);
  }

  /** With steps in these transactions, which must be of the database that has the records. */
  Claims transactions(Transactions transactions) {
    return new Claims(store, settings, lease, transactions);
  }

  /**
   * A claim lasts so long unless it is renewed, which happens after a third of it; 30 s by default.
   * After a crash, duplicates are told that it is in progress for so long.
   */
  public Claims lease(Duration lease) {
    Require.between(lease, SHORTEST_LEASE, LONGEST_LEASE, "the lease of a claim");
    return new Claims(store, settings, lease, transactions);
  }

  /** A duplicate waits so long for the one that is at work; zero for being told at once. */
  public Claims waiting(Duration longest) {
    return with(settings.patience(longest));
  }

  /** Records are kept so long, 24 h by default; after that their keys are new again. */
  public Claims retention(Duration retention) {
    return with(settings.retention(retention));
  }

  /** Answers, steps and inputs may have so many bytes, 1 MiB by default, and 15 MiB at most. */
  public Claims largestReply(int bytes) {
    return with(settings.largest(bytes));
  }

  /** How many bytes an answer may have in the store. */
  public int largestReply() {
    return settings.largest();
  }

  /** Larger answers are kept there. */
  public Claims vault(ReplyVault vault) {
    return with(settings.vault(vault));
  }

  /** Which failures of work are deliberate, and so are kept; see {@link Idempotency#refusals}. */
  public Claims refusals(Function<? super Exception, @Nullable RefusedException> refusals) {
    return with(settings.refusals(refusals));
  }

  private Claims with(KeepSettings changed) {
    return new Claims(store, changed, lease, transactions);
  }

  /**
   * Runs {@code work} under the claim of the request, unless it is done. What the work throws gives
   * the claim back, so that the request can be repeated at once; a refusal is kept. The thread is
   * interrupted where the claim is lost.
   *
   * @throws RefusedException where the work refuses, or has refused before
   * @throws ClaimLostException where the claim was lost before the answer was kept
   */
  public <T extends @Nullable Object, X extends Exception> OnceResult<T> run(
      IdempotencyKey key, Fingerprint fingerprint, ReplyCodec<T> codec, ClaimedWork<T, X> work)
      throws X {
    Require.notNull(codec, "codec");
    Require.notNull(work, "work");
    return run(request(key, fingerprint, null), settings.patience(), codec, work);
  }

  /**
   * Runs a flow, unless it is done. As {@link #run(IdempotencyKey, Fingerprint, ReplyCodec,
   * ClaimedWork)}, with the input kept until it is done, so that a {@link #completer completer} can
   * go on with it.
   */
  public <I extends @Nullable Object, T extends @Nullable Object> OnceResult<T> run(
      Flow<I, T> flow, IdempotencyKey key, I input) throws Exception {
    Require.notNull(flow, "flow");
    byte[] bytes = written(flow, key, input);
    return run(flow, key, Fingerprint.of(name(flow), bytes), input, bytes);
  }

  /**
   * As {@link #run(Flow, IdempotencyKey, Object)}, where not all of the input tells one payload
   * from another, or where its codec may write the same one differently one day.
   */
  public <I extends @Nullable Object, T extends @Nullable Object> OnceResult<T> run(
      Flow<I, T> flow, IdempotencyKey key, Fingerprint fingerprint, I input) throws Exception {
    Require.notNull(flow, "flow");
    Require.notNull(fingerprint, "fingerprint");
    Fingerprint ofFlow = Fingerprint.of(name(flow), fingerprint.sha256());
    return run(flow, key, ofFlow, input, written(flow, key, input));
  }

  private static byte[] name(Flow<?, ?> flow) {
    return flow.name().getBytes(StandardCharsets.UTF_8);
  }

  private <I extends @Nullable Object> byte[] written(
      Flow<I, ?> flow, IdempotencyKey key, I input) {
    byte[] bytes = Require.notNull(flow.inputs().write(input), "what a codec has written");
    if (bytes.length > settings.largest()) {
      throw ReplyTooLargeException.of("the input of " + key, bytes.length, settings.largest());
    }
    return bytes;
  }

  private <I extends @Nullable Object, T extends @Nullable Object> OnceResult<T> run(
      Flow<I, T> flow, IdempotencyKey key, Fingerprint fingerprint, I input, byte[] bytes)
      throws Exception {
    return run(
        request(key, fingerprint, new FlowInput(flow.name(), bytes)),
        settings.patience(),
        flow.replies(),
        claim -> flow.work().run(input, claim));
  }

  /**
   * What goes on with flows that nobody works on any more; nothing happens before it is started.
   */
  public Completer completer(Flow<?, ?>... flows) {
    return new Completer(this, store, flows);
  }

  /**
   * Begins a request, for who cannot put the work into a function: the claim is renewed until it is
   * told how the work ended. Nobody is interrupted where it is lost.
   */
  public Begun<Claim> begin(IdempotencyKey key, Fingerprint fingerprint) {
    Request request = request(key, fingerprint, null);
    Taken taken = take(request, settings.patience(), store::claim);
    Claim claim = taken.claim();
    if (claim != null) {
      claim.holding().keep(null);
      return new Begun.Open<>(claim);
    }
    return replies.told(key, taken.claimed());
  }

  private Request request(IdempotencyKey key, Fingerprint fingerprint, @Nullable FlowInput input) {
    return new Request(
        Require.notNull(key, "key"),
        Require.notNull(fingerprint, "fingerprint"),
        UUID.randomUUID(),
        lease,
        settings.retention(),
        input);
  }

  /**
   * Goes on with a flow that was abandoned, and tells whether it was completed now. Its input is
   * read under the claim: what cannot be read counts as an attempt, and rests.
   */
  <I extends @Nullable Object, T extends @Nullable Object> boolean resume(
      Flow<I, T> flow, IdempotencyStore.Abandoned abandoned) throws Exception {
    FlowInput work = abandoned.work();
    Request request = request(abandoned.key(), abandoned.fingerprint(), work);
    Claim claim = take(request, Duration.ZERO, store::resume).claim();
    if (claim == null) {
      return false;
    }
    T unused =
        run(claim, flow.replies(), held -> flow.work().run(flow.inputs().read(work.input()), held));
    return true;
  }

  /**
   * What was answered to a claim.
   *
   * @param claim where it was granted
   */
  private record Taken(Claimed claimed, @Nullable Claim claim) {}

  /** Waiting asks again and again, and changes nothing. */
  private Taken take(Request request, Duration wait, Function<Request, Claimed> taking) {
    Waiting waiting = new Waiting(wait);
    for (; ; ) {
      long asked = System.nanoTime();
      Claimed claimed = Tries.of(() -> taking.apply(request));
      if (claimed instanceof Claimed.Granted granted) {
        Hold hold = new Hold(request.key(), request.attempt());
        Holding holding = new Holding(ClaimKeeper.of(store), store, hold, lease, asked);
        Claim claim = new Claim(store, settings, transactions, hold, holding, lease, granted);
        if (claim.isHeld() || broughtBack(hold, holding)) {
          return new Taken(claimed, claim);
        }
        claimed = new Claimed.Busy(null, null);
      }
      if (!(claimed instanceof Claimed.Busy busy) || !waiting.again(busy)) {
        return new Taken(claimed, null);
      }
    }
  }

  /** After an answer that took longer than the lease: somebody else may have it already. */
  private boolean broughtBack(Hold hold, Holding holding) {
    long asked = System.nanoTime();
    if (!Tries.of(() -> store.renew(hold, lease))) {
      return false;
    }
    holding.extended(asked);
    return holding.isHeld();
  }

  private <T extends @Nullable Object, X extends Exception> OnceResult<T> run(
      Request request, Duration wait, ReplyCodec<T> codec, ClaimedWork<T, X> work) throws X {
    Taken taken = take(request, wait, store::claim);
    Claim claim = taken.claim();
    return claim == null
        ? told(request.key(), codec, taken.claimed())
        : new OnceResult.Executed<>(run(claim, codec, work));
  }

  private <T extends @Nullable Object, X extends Exception> T run(
      Claim claim, ReplyCodec<T> codec, ClaimedWork<T, X> work) throws X {
    Holding holding = claim.holding();
    holding.keep(Thread.currentThread());
    try {
      T reply;
      byte[] bytes;
      try {
        reply = work.run(claim);
        bytes = Require.notNull(codec.write(reply), "what a codec has written");
      } catch (Throwable failure) {
        boolean interrupted = holding.workEnded();
        refuseOrGiveBack(claim, failure);
        if (interrupted && failure instanceof InterruptedException) {
          throw lost(claim, failure);
        }
        throw failure;
      }
      boolean unused = holding.workEnded();
      claim.complete(bytes);
      return reply;
    } finally {
      holding.end();
    }
  }

  /** Throws the refusal where the failure is one. */
  private void refuseOrGiveBack(Claim claim, Throwable failure) {
    RefusedException refused = failure instanceof Exception e ? settings.refusal(e) : null;
    if (refused == null) {
      giveBack(claim, failure);
      return;
    }
    try {
      claim.refuse(refused);
    } catch (ReplyTooLargeException e) {
      giveBack(claim, e);
      throw e;
    }
    throw refused;
  }

  private static void giveBack(Claim claim, Throwable failure) {
    if (claim.holding().isLost() && !(failure instanceof ClaimLostException)) {
      failure.addSuppressed(new ClaimLostException(claim.key(), "going on"));
    }
    try {
      boolean unused = claim.release(Completer.pauseAfter(claim.attempts()));
    } catch (RuntimeException e) {
      // it runs out by itself
      failure.addSuppressed(e);
    }
  }

  /** The interrupt was how the work was told of the loss, and nobody else's. */
  private static ClaimLostException lost(Claim claim, Throwable interrupt) {
    ClaimLostException lost = new ClaimLostException(claim.key(), "going on");
    lost.addSuppressed(interrupt);
    return lost;
  }

  private <T extends @Nullable Object> OnceResult<T> told(
      IdempotencyKey key, ReplyCodec<T> codec, Claimed claimed) {
    if (claimed instanceof Claimed.Done done) {
      return new OnceResult.Replayed<>(codec.read(replies.open(key, done.reply())));
    }
    if (claimed instanceof Claimed.Busy busy) {
      return new OnceResult.InProgress<>(busy.since(), Once.retryAfter(busy));
    }
    if (claimed instanceof Claimed.OtherPayload) {
      return new OnceResult.Mismatch<>();
    }
    throw Once.unanswered(key);
  }

  /** The record of a key, to look at. */
  public Optional<IdempotencyRecord> find(IdempotencyKey key) {
    return store.find(Require.notNull(key, "key"));
  }

  /** Removes the record of a key, unless somebody works on it; whether there was one. */
  public boolean forget(IdempotencyKey key) {
    return store.forget(Require.notNull(key, "key"));
  }

  /** Removes all records whose time is over, in batches, and tells how many. */
  public int cleanUp() {
    return CleanUp.all(store);
  }

  /** See {@link Idempotency#cleaner()}. */
  public BackgroundService cleaner() {
    return cleaner(CleanUp.DEFAULT_INTERVAL);
  }

  /** See {@link Idempotency#cleaner(Duration)}. */
  public BackgroundService cleaner(Duration interval) {
    return new CleanUp(store, interval);
  }
}
