package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.lease.Fence;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseGroup;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.StaleTokenException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The snippets of the guide to leases, run. */
class LeasesGuideIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final Holdfast holdfast = Holdfast.create(schema.dataSource(4));
  private final Payments payments = new Payments();

  private record Order(long id) {}

  private static final class Payments {
    void post(Transaction tx, Order order) throws SQLException {
      try (PreparedStatement insert =
          tx.connection().prepareStatement("INSERT INTO payments (order_id) VALUES (?)")) {
        insert.setLong(1, order.id());
        insert.executeUpdate();
      }
    }
  }

  @BeforeEach
  void create() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute("CREATE TABLE payments (order_id bigint)");
    schema.execute("CREATE TABLE accounts (id bigint PRIMARY KEY, lease_token bigint)");
    schema.execute("INSERT INTO accounts VALUES (42, 0)");
  }

  @AfterEach
  void close() {
    schema.close();
  }

  @Test
  void workIsDoneUnderALeaseAndItsFence() throws SQLException {
    Order order = new Order(42);
    try (Lease lease = holdfast.leases().acquire("payment:42", Duration.ofSeconds(30))) {
      holdfast
          .transactions()
          .run(
              tx -> {
                holdfast.fence().check("payment:42", lease.token()); // rejects a late holder
                payments.post(tx, order);
              });
    }
    assertThat(schema.count("SELECT count(*) FROM payments")).isEqualTo(1);
  }

  @Test
  void renewalsHaveAPoolOfTheirOwn() {
    DataSource dataSource = schema.dataSource(4);
    DataSource smallPool = schema.dataSource(1);
    Holdfast holdfast = Holdfast.builder(dataSource).leaseRenewalDataSource(smallPool).build();
    try (Lease lease =
        holdfast
            .leases()
            .acquire(LeaseRequest.of("account:43", Duration.ofSeconds(30)).autoRenew())) {
      assertThat(lease.renew()).isEqualTo(Lease.RenewResult.RENEWED);
    }
  }

  @Test
  void aRequestHasOptions() {
    LeaseRequest request =
        LeaseRequest.of("report:2026", Duration.ofSeconds(30))
            .waitTimeout(Duration.ofSeconds(5))
            .autoRenew();
    String report = holdfast.leases().call(request, lease -> "report " + lease.key());
    assertThat(report).isEqualTo("report 'report:2026'");
    try (LeaseGroup group =
        holdfast
            .leases()
            .acquireAll(
                List.of(
                    LeaseRequest.of("account:1", Duration.ofSeconds(30)),
                    LeaseRequest.of("account:2", Duration.ofSeconds(30))))) {
      group.ensureValid(Duration.ofSeconds(5));
    }
  }

  @Test
  void aColumnOfOnesOwnIsAFence() throws SQLException {
    try (Lease lease = holdfast.leases().acquire("account:42", Duration.ofSeconds(30));
        Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      Fence.column("accounts", "lease_token")
          .check(Transaction.of(connection), "id", 42, lease.token());
      assertThatThrownBy(
              () ->
                  Fence.column("accounts", "lease_token")
                      .check(Transaction.of(connection), "id", 42, lease.token() - 1))
          .isInstanceOf(StaleTokenException.class);
    }
  }
}
