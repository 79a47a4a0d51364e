package dev.holdfast.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What no database at hand can be made to say; the rest is proven on real ones. */
class SqlErrorTest {
  private static final SqlError CONFLICT = SqlError.SERIALIZATION_FAILURE;

  @Test
  void knowsWhatOnlyMySqlSays() {
    assertThat(of("HY000", 3572)).as("NOWAIT").isEqualTo(SqlError.LOCK_TIMEOUT);
    assertThat(of("HY000", 3819)).as("CHECK").isEqualTo(SqlError.CHECK_VIOLATION);
    assertThat(of("HY000", 3024)).as("max_execution_time").isEqualTo(SqlError.STATEMENT_TIMEOUT);
    assertThat(of("HY000", 1836)).as("read only mode").isEqualTo(SqlError.READ_ONLY);
    assertThat(SqlError.of(new SQLTimeoutException("cancelled by the driver")))
        .isEqualTo(SqlError.STATEMENT_TIMEOUT);
  }

  /** As MariaDB 11.4 says it with {@code --innodb-read-only}. */
  @Test
  void aTableThatIsReadOnlyIsReadOnly() {
    SQLException failure = new SQLException("Table 'orders' is read only", "HY000", 1036);
    assertThat(SqlError.of(failure)).isEqualTo(SqlError.READ_ONLY);
    assertThat(SqlError.isRetryable(failure)).isFalse();
    assertThat(new DatabaseException("inserting", failure))
        .hasMessageContaining("the transaction or the server is read-only");
  }

  /** H2 retries these by itself until its lock timeout, so that they are hardly ever seen. */
  @Test
  void h2ConcurrentChangeIsSerializationFailure() {
    assertThat(of("90131", 90131)).as("concurrent update").isEqualTo(CONFLICT);
    assertThat(of("90112", 90112)).as("not found when deleting").isEqualTo(CONFLICT);
    assertThat(of("90143", 90143)).as("not found in the primary index").isEqualTo(CONFLICT);
    assertThat(CONFLICT.isRetryable()).isTrue();
  }

  @Test
  void distinguishesReadOnlyServer() {
    String text = "The MySQL server is running with the --%s option so it cannot execute this";
    assertThat(SqlError.of(new SQLException(text.formatted("read-only"), "HY000", 1290)))
        .isEqualTo(SqlError.READ_ONLY);
    assertThat(SqlError.of(new SQLException(text.formatted("super-read-only"), "HY000", 1290)))
        .isEqualTo(SqlError.READ_ONLY);
    assertThat(SqlError.of(new SQLException(text.formatted("secure-file-priv"), "HY000", 1290)))
        .isEqualTo(SqlError.UNKNOWN);
    assertThat(of("HY000", 1290)).as("without a message").isEqualTo(SqlError.UNKNOWN);
  }

  @Test
  void knowsClustersThatLoseANode() {
    assertThat(of("25S03", 0)).as("node swapped").isEqualTo(SqlError.CONNECTION_LOST);
    assertThat(of("08S01", 1047)).as("not primary").isEqualTo(SqlError.CONNECTION_LOST);
    assertThat(of("40001", 1213)).as("Galera conflict").isEqualTo(SqlError.DEADLOCK);
    assertThat(of("HY000", 1180)).as("lost quorum at commit").isEqualTo(SqlError.UNKNOWN);
    assertThat(of("58030", 0)).as("fsync failed at commit").isEqualTo(SqlError.UNKNOWN);
    assertThat(of("08P01", 0)).as("PgBouncer").isEqualTo(SqlError.CONNECTION_LOST);
  }

  /** As seen behind PgBouncer 1.18 in transaction mode, with the driver's defaults. */
  @Test
  void explainsPoolerWithoutPreparedStatements() {
    SQLException anothers =
        new SQLException(
            "ERROR: bind message supplies 55 parameters, but prepared statement \"S_6\" requires 2",
            "08P01");
    assertThat(SqlError.of(anothers)).isEqualTo(SqlError.UNKNOWN);
    assertThat(new DatabaseException("claiming", anothers))
        .hasMessageStartingWith("claiming failed: Is there a pooler in between")
        .hasMessageContainingAll("prepareThreshold=0", "bind message")
        .hasMessageNotContaining("no connection");
    SQLException gone =
        new SQLException("FEHLER: vorbereitete Anweisung „S_2“ existiert nicht", "26000");
    assertThat(new CommitUnknownException(gone)).hasMessageContaining("prepareThreshold=0");
    assertThat(new DatabaseException("claiming", new SQLException("pooler error", "08P01")))
        .hasMessageContaining("no connection")
        .hasMessageNotContaining("prepareThreshold");
  }

  @Test
  void namesTheQueryModeThatIsNotSupported() {
    assertThat(
            new DatabaseException(
                "claiming",
                new SQLException(
                    "ERROR: invalid value for parameter \"lock_timeout\": \"\"", "22023")))
        .hasMessageContaining("preferQueryMode=simple");
    assertThat(
            new DatabaseException(
                "claiming",
                new SQLException(
                    "ERROR: invalid value for parameter \"lock_timeout\": \"x\"", "22023")))
        .hasMessageNotContaining("preferQueryMode");
  }

  @Test
  void neverRulesOutACommitThatMayHaveHappened() {
    for (SqlError error :
        new SqlError[] {
          SqlError.CONNECTION_LOST,
          SqlError.UNKNOWN,
          SqlError.STATEMENT_TIMEOUT,
          SqlError.LOCK_TIMEOUT,
          SqlError.READ_ONLY
        }) {
      assertThat(error.rulesOutCommit()).as(error.name()).isFalse();
    }
  }

  @Test
  void rejectedDeferredConstraintIsNoCommit() {
    for (String refused :
        new String[] {"P0001", "23P01", "23505", "22012", "27000", "42501", "44000"}) {
      assertThat(SqlError.rulesOutCommit(new SQLException("", refused, 0))).as(refused).isTrue();
    }
    for (String unclear :
        new String[] {"08006", "53100", "57P01", "57P02", "58030", "XX000", "HY000", ""}) {
      assertThat(SqlError.rulesOutCommit(new SQLException("", unclear, 0))).as(unclear).isFalse();
    }
    assertThat(SqlError.rulesOutCommit(new SQLException(""))).as("no state").isFalse();
    assertThat(SqlError.rulesOutCommit(new SQLException("", "42000", 1180)))
        .as("a code that only MariaDB knows the meaning of")
        .isFalse();
  }

  @Test
  void endsWhereCausesGoRoundInCircles() {
    Exception one = new IOException("one");
    Exception two = new IllegalStateException(one);
    one.initCause(two);
    SQLException chained = new SQLException("one");
    SQLException other = new SQLException("two");
    chained.setNextException(other);
    other.setNextException(chained);

    assertThat(SqlError.of(one)).isEqualTo(SqlError.UNKNOWN);
    assertThat(SqlError.isRetryable(one)).isFalse();
    assertThat(SqlError.isCommitUnknown(one)).isFalse();
    assertThat(SqlError.of(chained)).isEqualTo(SqlError.UNKNOWN);
  }

  @Test
  void nothingIsUnknown() {
    assertThat(SqlError.of(null)).isEqualTo(SqlError.UNKNOWN);
    assertThat(SqlError.isRetryable(null)).isFalse();
    assertThat(of(null, 0)).isEqualTo(SqlError.UNKNOWN);
  }

  @Test
  void anErrorOfHoldfastDecidesForItself() {
    SQLException lost = new SQLException("lost", "08006");
    assertThat(SqlError.isRetryable(new DatabaseException("reading", lost))).isTrue();
    assertThat(SqlError.isRetryable(new CommitUnknownException(lost))).isFalse();
    assertThat(SqlError.isRetryable(new IOException(new CommitUnknownException(lost)))).isFalse();
    assertThat(SqlError.isRetryable(new TransactionRolledBackException(lost))).isTrue();
    assertThat(SqlError.isRetryable(new TransactionRolledBackException(new IOException())))
        .isFalse();
  }

  private static SqlError of(@Nullable String state, int code) {
    return SqlError.of(new SQLException(null, state, code));
  }
}
