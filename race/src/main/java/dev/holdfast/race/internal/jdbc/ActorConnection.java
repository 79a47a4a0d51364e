package dev.holdfast.race.internal.jdbc;

import dev.holdfast.race.internal.jdbc.RoundTrip.Answer;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Gate;
import dev.holdfast.race.internal.model.RunAborted;
import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * One connection of an actor: the transaction it is in, as the code sees it, and the steps that are
 * made on it.
 */
final class ActorConnection {
  private final PreparedConnection taken;
  private final Connection raw;
  private final Gate gate;
  private final int number;
  private final boolean refusesAfterError;

  private volatile boolean lost;
  private volatile boolean closed;

  /** As the code sees it; the real one is off while a statement is split from its commit. */
  private boolean autoCommit;

  /** Whether a transaction was begun by a text, in autocommit mode. */
  private boolean begunByText;

  /**
   * Whether one ever was: it may be open without our knowing, if a driver has refused to end it.
   */
  private boolean everByText;

  /** The number of the open transaction; 0 before its first statement. */
  private int transaction;

  /** Whether an error was injected after which all is refused until the transaction ends. */
  private boolean aborted;

  /**
   * @param refusesAfterError whether the database refuses all statements in a transaction after one
   *     that has failed
   */
  ActorConnection(PreparedConnection taken, Gate gate, int number, boolean refusesAfterError) {
    this.taken = taken;
    this.raw = taken.raw();
    this.gate = gate;
    this.number = number;
    this.refusesAfterError = refusesAfterError;
    this.autoCommit = taken.autoCommitBefore();
  }

  PreparedConnection taken() {
    return taken;
  }

  /** The code asks for a level. */
  void setLevel(int level) throws SQLException {
    taken.setLevel(level);
    if (level == Connection.TRANSACTION_SERIALIZABLE
        || level == Connection.TRANSACTION_READ_UNCOMMITTED) {
      gate.levelChosen();
    }
  }

  /** The text to run, which may ask for a level. */
  String leveled(String sql) {
    if (PreparedConnection.namesLevel(sql)) {
      gate.levelChosen();
    }
    return taken.leveled(sql);
  }

  /** Goes on only while the connection can be used and the actor lives. */
  void check() throws SQLException {
    gate.check();
    if (lost) {
      throw LostConnection.before();
    }
    if (closed) {
      throw LostConnection.closed();
    }
  }

  /** Whether nothing that the actor does has an effect any more. */
  boolean isOver() {
    return gate.isOver();
  }

  boolean isGone() {
    return lost || closed;
  }

  boolean autoCommit() {
    return autoCommit;
  }

  /** Whether this statement is run in a transaction of its own, whose commit is another step. */
  boolean splits(SqlText sql) {
    return isAlone() && sql.splittable() && !sql.plainRead() && !sql.atOnce();
  }

  /** Makes a statement or a batch, at its turn. */
  Answer run(StepKind kind, SqlText sql, List<String> params, RoundTrip trip) throws SQLException {
    if (aborted && !ends(sql)) {
      throw LostConnection.transactionAborted();
    }
    if (sql.isEnd()) {
      return endByText(sql, trip);
    }
    if (sql.atOnce()) {
      Answer answer = trip.make();
      noteControl(sql);
      return answer;
    }
    boolean alone = isAlone();
    boolean split = splits(sql);
    Step step =
        new Step(
            kind,
            sql.text(),
            params,
            number,
            numbered(),
            /* implicit= */ false,
            sql.plainRead(),
            SourceLines.caller());
    if (split) {
      return split(step, trip);
    }
    try {
      Answer answer = make(step, trip);
      noteControl(sql);
      return answer;
    } finally {
      if (alone && !begunByText) {
        transaction = 0;
      }
    }
  }

  void commit() throws SQLException {
    if (transaction == 0) {
      raw.commit();
    } else {
      end(step(StepKind.COMMIT, "COMMIT", /* implicit= */ false), RoundTrip.of(this::commitRaw));
    }
  }

  void rollBack() throws SQLException {
    if (transaction == 0) {
      raw.rollback();
    } else {
      end(step(StepKind.ROLLBACK, "ROLLBACK", /* implicit= */ false), RoundTrip.of(raw::rollback));
    }
  }

  /** Rolls back to a savepoint, whose name is empty if it has none. */
  void rollBackTo(String savepoint, RoundTrip.Silent trip) throws SQLException {
    if (aborted) {
      throw LostConnection.transactionAborted();
    }
    if (transaction == 0) {
      trip.make();
    } else {
      String text = ("ROLLBACK TO SAVEPOINT " + savepoint).strip();
      make(step(StepKind.ROLLBACK_TO, text, /* implicit= */ false), RoundTrip.of(trip));
    }
  }

  void setAutoCommit(boolean on) throws SQLException {
    if (on == autoCommit) {
      return;
    }
    if (on && transaction != 0) {
      end(step(StepKind.COMMIT, "COMMIT", /* implicit= */ true), RoundTrip.of(this::commitRaw));
    }
    raw.setAutoCommit(on);
    autoCommit = on;
    begunByText = false;
  }

  /** Gives the real connection back, whatever else happens. */
  void close() {
    if (isGone()) {
      return;
    }
    closed = true;
    try {
      if (transaction != 0 && !isOver()) {
        rollBackUnasked();
      }
    } finally {
      if (!lost) {
        taken.giveBack(everByText);
        gate.closed(number);
      }
    }
  }

  /** What {@link Connection#abort} asks for. */
  void abort() {
    if (isGone()) {
      return;
    }
    if (isOver()) {
      // code that cleans up after the cut; the pool keeps its connection
      lost = true;
      taken.giveBack(everByText);
      gate.closed(number);
      return;
    }
    cutOff();
  }

  private void rollBackUnasked() {
    try {
      boolean byText = begunByText;
      end(
          step(StepKind.ROLLBACK, "ROLLBACK", /* implicit= */ true),
          RoundTrip.of(() -> taken.rollBack(byText)));
    } catch (SQLException | RunAborted e) {
      // closing continues, as for any broken connection
    }
  }

  private boolean isAlone() {
    return autoCommit && !begunByText;
  }

  private static boolean ends(SqlText sql) {
    return sql.isEnd() && sql.control() != SqlText.Control.ROLLBACK_TO;
  }

  private int numbered() {
    if (transaction == 0) {
      transaction = gate.nextTransaction();
    }
    return transaction;
  }

  private Step step(StepKind kind, String text, boolean implicit) {
    return new Step(
        kind,
        text,
        List.of(),
        number,
        numbered(),
        implicit,
        /* plainRead= */ false,
        SourceLines.caller());
  }

  private Answer endByText(SqlText sql, RoundTrip trip) throws SQLException {
    if (transaction == 0) {
      Answer answer = trip.make();
      noteControl(sql);
      return answer;
    }
    return switch (sql.control()) {
      case COMMIT -> end(step(StepKind.COMMIT, sql.text(), /* implicit= */ false), trip);
      case ROLLBACK -> end(step(StepKind.ROLLBACK, sql.text(), /* implicit= */ false), trip);
      default -> make(step(StepKind.ROLLBACK_TO, sql.text(), /* implicit= */ false), trip);
    };
  }

  /** Ends the transaction; it has ended even if that fails. */
  private Answer end(Step step, RoundTrip trip) throws SQLException {
    try {
      return make(step, trip);
    } finally {
      transaction = 0;
      begunByText = false;
      aborted = false;
    }
  }

  private void commitRaw() throws SQLException {
    if (aborted) {
      throw LostConnection.transactionAborted();
    }
    raw.commit();
  }

  private Answer split(Step step, RoundTrip trip) throws SQLException {
    boolean committed = false;
    try {
      raw.setAutoCommit(false);
      Answer answer = make(step, trip);
      make(step(StepKind.COMMIT, "COMMIT", /* implicit= */ true), RoundTrip.of(raw::commit));
      committed = true;
      raw.setAutoCommit(true);
      return answer;
    } finally {
      transaction = 0;
      aborted = false;
      if (!committed && !lost) {
        taken.rollBackQuietly(/* byText= */ false);
        taken.autoCommitQuietly();
      }
    }
  }

  /** Makes one step: waits for its turn, and does with it what the ticket says. */
  private Answer make(Step step, RoundTrip trip) throws SQLException {
    Gate.Ticket ticket = gate.arrive(step);
    SQLException injected = ticket.injected();
    if (injected != null) {
      refuse(step, injected);
      throw injected;
    }
    Fate fate = ticket.fate();
    if (fate.before()) {
      throw lose(step, fate, StepResult.done());
    }
    Answer answer;
    try {
      answer = trip.make();
    } catch (SQLException | RuntimeException | Error e) {
      if (fate.after()) {
        throw lose(step, fate, StepResult.failed(e));
      }
      gate.done(step, StepResult.failed(e));
      throw e;
    }
    if (fate.after()) {
      throw lose(step, fate, answer.result());
    }
    gate.done(step, answer.result());
    return answer;
  }

  /** The server has rolled the transaction back, and says so with this error. */
  private void refuse(Step step, SQLException injected) {
    taken.rollBackQuietly(begunByText);
    if (refusesAfterError && !step.endsTransaction()) {
      aborted = !isAlone();
    } else {
      transaction = 0;
      begunByText = false;
    }
    gate.done(step, StepResult.failed(injected));
  }

  /** Cuts the connection off. Returns what the code gets, unless its process dies with it. */
  private SQLException lose(Step step, Fate fate, StepResult result) {
    cutOff();
    if (fate.dies()) {
      gate.done(step, result);
      throw new RunAborted("the process has died (by the race finder)");
    }
    SQLException loss = LostConnection.now();
    gate.done(step, StepResult.failed(loss));
    return loss;
  }

  private void cutOff() {
    lost = true;
    taken.cutOff(everByText);
    gate.closed(number);
  }

  /** What a text that has been run means for what comes after it. */
  private void noteControl(SqlText sql) throws SQLException {
    switch (sql.control()) {
      case BEGIN -> {
        begunByText = autoCommit;
        everByText = true;
      }
      case COMMIT, ROLLBACK -> {
        transaction = 0;
        begunByText = false;
      }
      case AUTOCOMMIT -> {
        autoCommit = raw.getAutoCommit();
        transaction = autoCommit ? 0 : transaction;
      }
      case ROLLBACK_TO, NONE -> {}
    }
  }
}
