package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseStore;
import dev.holdfast.lease.Leases;
import dev.holdfast.sql.Dialect;
import dev.holdfast.sql.Migrations;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases in a database whose connections break, hang or answer strangely. */
public abstract class SqlLeaseFaultsContract extends DatabaseContract {
  private static final Duration LONG = LeaseTests.LONG;

  protected SqlLeaseFaultsContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void makeTables() {
    Migrations.on(schema.dataSource()).migrate();
  }

  private static LeaseStore store(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      return LeaseStore.in(dataSource, Dialect.of(connection), null, 1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Galera answers an upsert that it had to repeat with the rows of both attempts. */
  @Test
  void ofAnUpsertThatTheServerRepeatedTheLastAnswerCounts() {
    assumeTrue(database().name().equals("MariaDB"), "upserts return rows on MariaDB only");
    AtomicInteger repeated = new AtomicInteger();
    Leases leases = Leases.on(store(RepeatedUpserts.on(schema.dataSource(), repeated)));
    try (Lease lease = Leases.on(store(schema.dataSource())).acquire("x", LONG)) {
      assertThat(leases.tryAcquire("x", LONG)).isEmpty();
      assertThat(repeated).hasPositiveValue();
      assertThat(lease.isValid()).isTrue();
    }
    Lease next = leases.tryAcquire("x", LONG).orElseThrow();
    assertThat(next.token()).isEqualTo(leases.find(next.key()).orElseThrow().token());
  }
}
