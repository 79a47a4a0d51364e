package dev.holdfast.servlet;

import dev.holdfast.HoldfastException;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.idempotency.spi.OpenRequest;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionRolledBackException;
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
      "a request in a transaction cannot be asynchronous; exclude it by exclude(…) of"
          + " RequestTransactions, so that it uses a lease";

  private static final int MAX_STARTS = 3;
  private static final int DEEPEST_CAUSE = 50;
  private static final int FIRST_ERROR = 400;

  private final Idempotency idempotency;
  private final RequestTransactions transactions;
  private final IdempotencyFilterOptions options;
  private final IdempotencyKey key;
  private final Fingerprint fingerprint;
  private final HttpServletRequest realRequest;
  private final HttpServletResponse realResponse;
  private final BufferedRequest request;
  private final CapturedResponse response;

  TransactionExchange(
      Idempotency idempotency,
      RequestTransactions transactions,
      IdempotencyFilterOptions options,
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
            new Capture(
                response, options.maxResponseSize(idempotency.options().maxResultSize()), false),
            this.request::getAsyncContext);
  }

  private IdempotencyRequest<byte[]> request() {
    return IdempotencyRequest.of(key, ReplyCodecs.bytes())
        .fingerprint(fingerprint)
        .waitTimeout(options.waitTimeout());
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
    Stage run(Transaction tx, OpenRequest.InTransaction record);
  }

  /** One transaction, and what became of it. */
  private final class Try {
    private Stage stage = Stage.NOT_BEGUN;
    private @Nullable BeginResult<OpenRequest.InTransaction> told;
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
      OpenRequest.InTransaction record = writtenAtOnce;
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
        LOG.warn(
            "idempotency-commit-unknown: could not verify the commit of request {}; responding 503",
            key,
            e);
        return Outcome.UNKNOWN;
      }
    }

    private void in(Transaction tx, Body body) {
      if (stage != Stage.NOT_BEGUN) {
        throw new IllegalStateException("RequestTransactions must run its work once only");
      }
      stage = Stage.BEGINNING_FAILED;
      BeginResult<OpenRequest.InTransaction> begun = idempotency.begin(tx, request());
      if (begun instanceof BeginResult.Open<OpenRequest.InTransaction> open) {
        stage = Stage.AT_WORK;
        stage = body.run(tx, open.request());
      } else {
        stage = Stage.TOLD;
        told = begun;
      }
      if (stage != Stage.WRITTEN) {
        RollBack rollBack = new RollBack(null);
        // also where somebody swallows it
        tx.setRollbackOnly(rollBack);
        throw rollBack;
      }
    }

    boolean isCommitted() {
      return outcome == Outcome.COMMITTED;
    }

    boolean mayBeginAgain() {
      return stage == Stage.BEGINNING_FAILED
          && thrown instanceof HoldfastException failure
          && failure.isRetryable();
    }

    BeginResult<OpenRequest.InTransaction> told() {
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
  private OpenRequest.@Nullable InTransaction writtenAtOnce;

  void run(FilterChain chain) throws IOException, ServletException {
    Try made = tryToRun((tx, record) -> work(tx, record, chain));
    if (askedForAsync && !made.isCommitted()) {
      LOG.warn(
          "idempotency-async-rejected: request {} started asynchronous work; rolled back: {}",
          key,
          NO_ASYNC);
    }
    switch (made.stage) {
      case WRITTEN, NOT_WRITTEN -> {
        if (made.isCommitted()) {
          if (made.thrown != null) {
            LOG.warn(
                "idempotency-failed-after-commit: request {} failed after its commit; its response"
                    + " is sent",
                key,
                made.thrown);
          }
          response.deliver();
        } else {
          notCommitted(made);
        }
      }
      case REFUSED -> keepWithoutEffect(made);
      case NOT_KEPT -> response.deliver();
      case SUCCESS_NOT_KEPT -> response.replace(Problems.statusNotRecorded(response.getStatus()));
      case FAILED -> rethrow();
      case TOO_LARGE -> tooLarge();
      case TOLD -> Answers.send(made.told(), options, realResponse);
      default -> {
        Answers.tell(key, made.thrown);
        response.replace(
            made.thrown instanceof HoldfastException e
                ? Problems.of(e)
                : Problems.storeUnavailable());
      }
    }
  }

  /** As long as the application was not asked, it may be tried again. */
  private Try tryToRun(Body body) {
    for (int beginnings = 1; ; beginnings++) {
      Try made = new Try(body);
      if (beginnings == MAX_STARTS || !made.mayBeginAgain()) {
        return made;
      }
    }
  }

  private Stage work(Transaction tx, OpenRequest.InTransaction record, FilterChain chain) {
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
    if (status < FIRST_ERROR && !(options.records(status) && options.commits(status))) {
      // it would be told that it took effect, and is rolled back
      return Stage.SUCCESS_NOT_KEPT;
    }
    if (!options.records(status) || response.asksToRepeat()) {
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

  private Stage write(OpenRequest.InTransaction record) {
    try {
      byte[] answer = response.stored().bytes();
      boolean withCommit = false;
      if (response.getStatus() < FIRST_ERROR) {
        withCommit = record.completeOnCommit(answer);
      } else {
        // what became of it decides what becomes of a refusal
        record.complete(answer);
      }
      writtenAtOnce = withCommit ? null : record;
      return Stage.WRITTEN;
    } catch (ResultTooLargeException e) {
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
        "idempotency-result-too-large: the response to request {} is larger than {} bytes; rolled"
            + " back, see maxResultSize(…)",
        key,
        options.maxResponseSize(idempotency.options().maxResultSize()));
    response.replace(Problems.resultTooLarge(false));
  }

  private void failed(Try made) throws IOException {
    Throwable why = made.stage == Stage.NOT_WRITTEN ? unwritten : made.thrown;
    LOG.warn(
        "idempotency-rolled-back: request {} was not committed; the cause may be a swallowed"
            + " failure of code that joined its transaction",
        key,
        why);
    if (made.outcome == Outcome.UNKNOWN) {
      response.replace(Problems.commitUnknown());
    } else {
      // where nothing was thrown, it is the record that is not there
      response.replace(why == null ? Problems.rolledBack() : Problems.commitUnknown(why));
    }
  }

  private static boolean isOfDatabase(Try made) {
    if (made.stage != Stage.WRITTEN || made.thrown instanceof TransactionRolledBackException) {
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
