package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.transaction.DatabaseException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HoldfastTest {
  @Test
  void refusesADatabaseThatItDoesNotKnow() {
    DatabaseMetaData metaData =
        fake(
            DatabaseMetaData.class,
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getURL" -> "jdbc:oracle:thin:@//host/service";
                  case "getDatabaseProductName" -> "Oracle";
                  case "getDatabaseProductVersion" -> "23ai";
                  default -> throw new AssertionError(method.toString());
                });
    Connection connection =
        fake(
            Connection.class,
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getMetaData" -> metaData;
                  case "unwrap" -> throw new SQLException("nothing stands behind this");
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "close" -> null;
                  default -> throw new AssertionError(method.toString());
                });
    DataSource oracle = fake(DataSource.class, (proxy, method, arguments) -> connection);

    assertThatThrownBy(() -> Holdfast.create(oracle))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContainingAll("PostgreSQL", "MariaDB", "MySQL", "H2", "Oracle 23ai");
  }

  @Test
  @SuppressWarnings("NullAway") // what a caller without null checks may do
  void refusesNoDataSource() {
    @Nullable DataSource none = null;
    assertThatThrownBy(() -> Holdfast.create(none))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("dataSource");
  }

  @Test
  void refusesSettingsThatCannotBe() {
    DataSource unused =
        fake(
            DataSource.class,
            (proxy, method, arguments) -> {
              throw new AssertionError("must not connect: " + method);
            });

    refused("shards", () -> Holdfast.builder(unused).shards(0));
    refused("shards", () -> Holdfast.builder(unused).shards(1025));
    refused("schema", () -> Holdfast.builder(unused).schema(" "));
    refused("instance", () -> Holdfast.builder(unused).instanceName(""));
    refused("instance", () -> Holdfast.builder(unused).instanceName("x".repeat(101)));
    refused("asterisk", () -> Holdfast.builder(unused).instanceName("*api"));
    refused("control", () -> Holdfast.builder(unused).instanceName("api\n1"));
    LeaseStore store = fake(LeaseStore.class, (proxy, method, arguments) -> null);
    refused(
        "lease store",
        () -> Holdfast.builder(unused).leaseStore(store).leaseRenewalDataSource(unused).build());
  }

  private static void refused(String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(message);
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            HoldfastTest.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
