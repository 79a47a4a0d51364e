package dev.holdfast.servlet;

import dev.holdfast.HoldfastException;
import dev.holdfast.idempotency.Begun;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.OpenRecord;
import dev.holdfast.idempotency.ReplyTooLargeException;
import dev.holdfast.sql.RolledBackException;
import dev.holdfast.sql.Transaction;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request and its response in a transaction: the record is begun before the application is asked,
 * the answer is written into it, all of it is committed, and then the answer is sent.
 *
 * <p>What is not kept is rolled back. So is a refusal, 4xx, which is then kept by a transaction of
 * its own: it took no effect.
 */
final class TransactionExchange implements BufferedRequest.Async {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);
  private static final String NO_ASYNC =
      "a request in a transaction cannot be async; let has(…) of RequestTransactions say no to it,"
          + " or leave it out by unless(…), so that it is under a claim";

  private static final int MOST_BEGINNINGS = 3;
  private static final int DEEPEST_CAUSE = 50;
  private static final int FIRST_ERROR = 400;

  private final Idempotency idempotency;
  private final RequestTransactions transactions;
  private final IdempotencyOptions options;
  private final IdempotencyKey key;
  private final Fingerprint fingerprint;
  private final HttpServletRequest realRequest;
  private final HttpServletResponse realResponse;
  private final BufferedRequest request;
  private final CapturedResponse response;

  TransactionExchange(
      Idempotency idempotency,
      RequestTransactions transactions,
      IdempotencyOptions options,
      IdempotencyKey key,
      Fingerprint fingerprint,
      HttpServletRequest request,
      HttpServletResponse response,
      byte @Nullable [] body) {
    this.idempotency = idempotency;
    this.transactions = transactions;
    this.options = options;
    this.key = key;
    this.fingerprint = fingerprint;
    this.realRequest = request;
    this.realResponse = response;
    this.request = new BufferedRequest(request, body, this);
    this.response =
        new CapturedResponse(
            response,
            KeptHeaders.before(response),
            new Capture(response, options.largestReply(idempotency.largestReply()), false),
            this.request::getAsyncContext);
  }

  /** How far one transaction has come. */
  private enum Stage {
    NOT_BEGUN,
    BEGINNING_FAILED,
    TOLD,
    AT_WORK,
    FAILED,
    NOT_KEPT,
    SUCCESS_NOT_KEPT,
    REFUSED,
    TOO_LARGE,
    NOT_WRITTEN,
    WRITTEN
  }

  /** Has a transaction rolled back; never reaches a user. */
  private static final class RollBack extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RollBack(@Nullable Throwable cause) {
      super("the transaction is rolled back", cause, false, false);
    }
  }

  /** What became of a transaction. */
  private enum Outcome {
    COMMITTED,
    NOT_COMMITTED,
    UNKNOWN
  }

  /** What happens once the record is begun; answers the stage that was come to. */
  private interface Body {
    Stage run(Transaction tx, OpenRecord record);
  }

  /** One transaction, and what became of it. */
  private final class Try {
    private Stage stage = Stage.NOT_BEGUN;
    private @Nullable Begun<OpenRecord> told;
    private @Nullable RuntimeException thrown;
    private final Outcome outcome;

    Try(Body body) {
      try {
        transactions.run(realRequest, tx -> in(tx, body));
      } catch (RuntimeException e) {
        thrown = e;
      }
      if (thrown == null && stage != Stage.WRITTEN) {
        throw new IllegalStateException(
            "RequestTransactions must run its work, and pass on what that throws");
      }
      outcome = stage == Stage.WRITTEN ? outcome() : Outcome.NOT_COMMITTED;
    }

    /**
     * Where the answer went with the commit, that has told it. Otherwise only the record can:
     * somebody else's transaction may have come to nothing by what was caught after the answer was
     * written, or may have been committed before something failed.
     */
    private Outcome outcome() {
      OpenRecord record = writtenAtOnce;
      if (record == null) {
        return thrown == null ? Outcome.COMMITTED : Outcome.NOT_COMMITTED;
      }
      try {
        if (record.isCommitted()) {
          return Outcome.COMMITTED;
        }
        // others may have done it since
        return idempotency.find(key).isPresent() ? Outcome.UNKNOWN : Outcome.NOT_COMMITTED;
      } catch (RuntimeException e) {
        LOG.warn("whether the request {} was committed cannot be found out now", key, e);
        return Outcome.UNKNOWN;
      }
    }

    private void in(Transaction tx, Body body) {
      if (stage != Stage.NOT_BEGUN) {
        throw new IllegalStateException("RequestTransactions must run its work once only");
      }
      stage = Stage.BEGINNING_FAILED;
      Begun<OpenRecord> begun = idempotency.begin(tx, key, fingerprint);
      if (begun instanceof Begun.Open<OpenRecord> open) {
        stage = Stage.AT_WORK;
        stage = body.run(tx, open.record());
      } else {
        stage = Stage.TOLD;
        told = begun;
      }
      if (stage != Stage.WRITTEN) {
        RollBack rollBack = new RollBack(null);
        // also where somebody swallows it
        tx.mustRollBack(rollBack);
        throw rollBack;
      }
    }

    boolean isCommitted() {
      return outcome == Outcome.COMMITTED;
    }

    boolean mayBeginAgain() {
      return stage == Stage.BEGINNING_FAILED
          && thrown instanceof HoldfastException failure
          && failure.retryable();
    }

    Begun<OpenRecord> told() {
      if (told == null) {
        throw new IllegalStateException("nothing was told");
      }
      return told;
    }
  }

  private @Nullable Throwable failure;
  private @Nullable HoldfastException unwritten;
  private boolean askedForAsync;

  /** The record, where its answer was written before the end of the transaction. */
  private @Nullable OpenRecord writtenAtOnce;

  void run(FilterChain chain) throws IOException, ServletException {
    Try made = tryToRun((tx, record) -> work(tx, record, chain));
    if (askedForAsync && !made.isCommitted()) {
      LOG.warn("the request {} asked for async work: {}", key, NO_ASYNC);
    }
    switch (made.stage) {
      case WRITTEN, NOT_WRITTEN -> {
        if (made.isCommitted()) {
          if (made.thrown != null) {
            LOG.warn(
                "the request {} was committed, and something failed after that", key, made.thrown);
          }
          response.deliver();
        } else {
          notCommitted(made);
        }
      }
      case REFUSED -> keepWithoutEffect(made);
      case NOT_KEPT -> response.deliver();
      case SUCCESS_NOT_KEPT -> response.replace(Problems.successNotKept(response.getStatus()));
      case FAILED -> rethrow();
      case TOO_LARGE -> tooLarge();
      case TOLD -> Answers.send(made.told(), options, realResponse);
      default -> {
        Answers.tell(key, made.thrown);
        response.replace(
            made.thrown instanceof HoldfastException e ? Problems.of(e) : Problems.storeDown());
      }
    }
  }

  /** As long as the application was not asked, it may be tried again. */
  private Try tryToRun(Body body) {
    for (int beginnings = 1; ; beginnings++) {
      Try made = new Try(body);
      if (beginnings == MOST_BEGINNINGS || !made.mayBeginAgain()) {
        return made;
      }
    }
  }

  private Stage work(Transaction tx, OpenRecord record, FilterChain chain) {
    IdempotentRequest.in(tx, key).attachTo(realRequest);
    tellMode();
    try {
      chain.doFilter(request, response);
    } catch (Throwable e) {
      failure = e;
      return Stage.FAILED;
    }
    response.seal();
    tellMode();
    if (response.isTooLarge()) {
      return Stage.TOO_LARGE;
    }
    int status = response.getStatus();
    if (status < FIRST_ERROR && !(options.keeps(status) && options.commits(status))) {
      // it would be told that it took effect, and is rolled back
      return Stage.SUCCESS_NOT_KEPT;
    }
    if (!options.keeps(status) || response.asksToRepeat()) {
      return Stage.NOT_KEPT;
    }
    return options.commits(status) ? write(record) : Stage.REFUSED;
  }

  /** At first, and again at the end: the application may have reset the response. */
  private void tellMode() {
    if (options.modeHeader()) {
      realResponse.setHeader(KeptHeaders.MODE, IdempotentRequest.Mode.TRANSACTION.header());
    }
  }

  private Stage write(OpenRecord record) {
    try {
      byte[] answer = response.stored().bytes();
      boolean withCommit = false;
      if (response.getStatus() < FIRST_ERROR) {
        withCommit = record.completeLast(answer);
      } else {
        // what became of it decides what becomes of a refusal
        record.complete(answer);
      }
      writtenAtOnce = withCommit ? null : record;
      return Stage.WRITTEN;
    } catch (ReplyTooLargeException e) {
      return Stage.TOO_LARGE;
    } catch (HoldfastException e) {
      // an error of the database that the application has swallowed
      unwritten = e;
      return Stage.NOT_WRITTEN;
    }
  }

  private void rethrow() throws IOException, ServletException {
    Throwable thrown = failure;
    if (thrown instanceof IOException e) {
      throw e;
    }
    if (thrown instanceof ServletException e) {
      throw e;
    }
    if (thrown instanceof RuntimeException e) {
      throw e;
    }
    if (thrown instanceof Error e) {
      throw e;
    }
    throw new ServletException(thrown);
  }

  /**
   * A refusal that should have been committed, but whose transaction the application has spoilt,
   * took no effect, and is kept all the same. Where the database has failed to commit, what the
   * application wanted to be there is not.
   */
  private void notCommitted(Try made) throws IOException {
    int status = response.getStatus();
    if (status >= 400 && status < 500 && !isOfDatabase(made)) {
      keepWithoutEffect(made);
    } else {
      failed(made);
    }
  }

  /** What it changed is rolled back; only its answer is kept, unless another one was faster. */
  private void keepWithoutEffect(Try before) throws IOException {
    Try kept = tryToRun((tx, record) -> write(record));
    if (kept.isCommitted()) {
      response.deliver();
      return;
    }
    switch (kept.stage) {
      case TOLD -> {
        response.forget();
        Answers.send(kept.told(), options, realResponse);
      }
      case TOO_LARGE -> tooLarge();
      default -> failed(before.stage == Stage.REFUSED ? kept : before);
    }
  }

  private void tooLarge() throws IOException {
    LOG.warn(
        "the answer to {} is larger than the {} bytes that are kept, and was rolled back; see"
            + " largestReply(…)",
        key,
        options.largestReply(idempotency.largestReply()));
    response.replace(Problems.replyTooLarge(false));
  }

  private void failed(Try made) throws IOException {
    Throwable why = made.stage == Stage.NOT_WRITTEN ? unwritten : made.thrown;
    LOG.warn(
        "the request {} could not be committed; where something in it has failed and was caught,"
            + " such as in a method that joins the transaction, that is why",
        key,
        why);
    if (made.outcome == Outcome.UNKNOWN) {
      response.replace(Problems.notCommitted());
    } else {
      // where nothing was thrown, it is the record that is not there
      response.replace(why == null ? Problems.rolledBack() : Problems.notCommitted(why));
    }
  }

  private static boolean isOfDatabase(Try made) {
    if (made.stage != Stage.WRITTEN || made.thrown instanceof RolledBackException) {
      return false;
    }
    Throwable cause = made.thrown;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof SQLException || cause instanceof HoldfastException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  // async work would go on when the transaction is over

  @Override
  public boolean isAllowed() {
    askedForAsync = true;
    return false;
  }

  @Override
  public AsyncContext start(@Nullable ServletRequest seen, @Nullable ServletResponse to) {
    throw new IllegalStateException(NO_ASYNC);
  }

  @Override
  public @Nullable AsyncContext current() {
    return null;
  }
}
