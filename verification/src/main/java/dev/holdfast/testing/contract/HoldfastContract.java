package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventType;
import dev.holdfast.event.PayloadCodec;
import dev.holdfast.event.Worker;
import dev.holdfast.guard.ConflictRate;
import dev.holdfast.guard.Rollup;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.ConflictListener;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.GuardKind;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transactions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What the entrance does on every database. */
public abstract class HoldfastContract extends DatabaseContract {
  private static final EventType<String> TEXT = EventType.of("text", String.class);

  protected HoldfastContract(TestDatabase database) {
    super(database);
  }

  @Test
  void findsOutTheDatabase() {
    Holdfast holdfast = Holdfast.create(schema.dataSource());

    assertThat(holdfast.databaseName()).startsWith(database().name() + " ");
    assertThat(holdfast).hasToString("Holdfast on " + holdfast.databaseName());
  }

  @Test
  void callsConflictListenerAndRates() {
    schema.execute(
        "create table cart_items (id bigint primary key, quantity integer, version bigint)",
        "insert into cart_items values (7, 1, 5)");
    List<String> heard = new CopyOnWriteArrayList<>();
    Holdfast holdfast =
        Holdfast.builder(schema.dataSource())
            .conflictListener(
                new ConflictListener() {
                  @Override
                  public void attempted(GuardKind kind, String guard, boolean conflict) {
                    heard.add(guard + " " + conflict);
                  }
                })
            .build();
    Update update = Update.table("cart_items").set("quantity", 3).where("id", 7).version(5);

    holdfast.transactions().run(tx -> update.applyOrThrow(tx));
    holdfast.transactions().run(tx -> update.apply(tx));

    assertThat(heard).containsExactly("update cart_items false", "update cart_items true");
    assertThat(holdfast.conflictRates().of("update cart_items")).isPresent();
  }

  @Test
  void instanceNameIsShared() {
    Holdfast holdfast = Holdfast.builder(schema.dataSource()).instanceName("api-1").build();
    holdfast.migrations().migrate();
    Worker worker = holdfast.worker().handle(TEXT, (payload, context) -> {}).start();
    try {
      EventContract.await(
          () -> "the worker must be registered",
          () -> holdfast.stats().instances().stream().anyMatch(one -> one.name().equals("api-1")));
    } finally {
      worker.stop(Duration.ofSeconds(10));
    }
    try (Lease lease =
        holdfast.leases().tryAcquire("report", Duration.ofMinutes(1)).orElseThrow()) {
      assertThat(holdfast.leases().find(lease.key()).orElseThrow().holders())
          .extracting(LeaseRecord.Holder::instanceName)
          .singleElement()
          .asString()
          .startsWith("api-1#");
    }
  }

  @Test
  void theLeaseStoreIsThatOfItsLeasesAndJobs() {
    Holdfast own = Holdfast.create(schema.dataSource());
    own.migrations().migrate();
    LeaseStore store = SqlLeaseStore.create(schema.dataSource(), own.dialect(), null, 1);
    AtomicInteger calls = new AtomicInteger();
    Holdfast holdfast =
        Holdfast.builder(schema.dataSource()).leaseStore(counted(store, calls)).build();

    holdfast.leases().tryAcquire("report", Duration.ofMinutes(1)).orElseThrow().close();
    int ofLeases = calls.getAndSet(0);
    holdfast.jobs().job("report", Duration.ofMinutes(1), Duration.ofSeconds(1)).run(context -> {});

    assertThat(ofLeases).isPositive();
    assertThat(calls.get()).isPositive();
  }

  private static LeaseStore counted(LeaseStore store, AtomicInteger calls) {
    return (LeaseStore)
        Proxy.newProxyInstance(
            LeaseStore.class.getClassLoader(),
            new Class<?>[] {LeaseStore.class},
            (proxy, method, arguments) -> {
              calls.incrementAndGet();
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void theCodecIsThatOfPayloads() {
    Holdfast holdfast =
        Holdfast.builder(schema.dataSource())
            .codec(
                new PayloadCodec() {
                  @Override
                  public String write(Object payload) {
                    return "number " + payload;
                  }

                  @Override
                  public <P> P read(String text, Class<P> type) {
                    return type.cast(Integer.valueOf(text.substring("number ".length())));
                  }
                })
            .build();
    holdfast.migrations().migrate();

    EventId id = holdfast.events().schedule(EventType.of("number", Integer.class).event(42)).id();

    assertThat(holdfast.events().find(id).orElseThrow().payload()).isEqualTo("number 42");
  }

  @Test
  void countsTheConflictsOfItsTransactions() {
    schema.execute(
        "create table cart_items (id bigint primary key, quantity integer, version bigint)",
        "insert into cart_items values (7, 1, 5)");
    Holdfast holdfast = Holdfast.create(schema.dataSource());
    Update update = Update.table("cart_items").set("quantity", 3).where("id", 7).version(5);
    Update gone = Update.table("cart_items").set("quantity", 3).where("id", 8).version(5);

    holdfast.transactions().run(tx -> update.applyOrThrow(tx));
    holdfast.transactions().run(tx -> update.apply(tx));
    holdfast
        .transactions()
        .run(tx -> assertThat(gone.apply(tx)).isInstanceOf(UpdateResult.NotFound.class));

    assertThat(holdfast.conflictRates().of("update cart_items"))
        .contains(
            new ConflictRate(
                GuardKind.OPTIMISTIC_UPDATE, "update cart_items", 3, 2, 0, Duration.ofMinutes(5)));
    assertThat(holdfast.conflictRates().report()).contains("update cart_items");
  }

  @Test
  void countsLocksRollupsAndFailedLocks() throws SQLException {
    schema.execute(
        "create table orders (id bigint primary key, items bigint)",
        "create table items (id bigint primary key, order_id bigint not null)",
        "create index items_of_order on items (order_id)",
        "insert into orders values (7, 0)",
        "insert into items values (1, 7)");
    Holdfast holdfast = Holdfast.create(schema.dataSource());
    Transactions impatient = holdfast.transactions().lockTimeout(Duration.ofMillis(100));
    RowLocks locks = RowLocks.of("orders", List.of(7));
    Rollup rollup = Rollup.parent("orders").children("items", "order_id").count("items");

    holdfast.transactions().run(tx -> locks.lock(tx));
    holdfast.transactions().run(tx -> rollup.apply(tx, 7));
    try (Connection other = schema.dataSource().getConnection()) {
      other.setAutoCommit(false);
      try (Statement statement = other.createStatement()) {
        statement.execute("update orders set items = 5 where id = 7");
      }
      assertThatThrownBy(() -> impatient.run(tx -> locks.lock(tx)))
          .isInstanceOf(DatabaseException.class);
      assertThatThrownBy(() -> impatient.run(tx -> rollup.apply(tx, 7)))
          .isInstanceOf(DatabaseException.class);
      other.rollback();
    }

    Duration window = Duration.ofMinutes(5);
    assertThat(holdfast.conflictRates().all())
        .containsExactlyInAnyOrder(
            new ConflictRate(GuardKind.ROW_LOCKS, "lock orders", 2, 1, 0, window),
            new ConflictRate(GuardKind.ROLLUP, "roll up orders", 2, 1, 0, window));
  }

  @Test
  void takesNoConnectionForItself() {
    Holdfast holdfast = Holdfast.create(schema.dataSource(1));
    Holdfast.create(schema.dataSource(1));

    assertThat(holdfast.transactions().<Integer, RuntimeException>call(tx -> tx.attempt()))
        .isEqualTo(1);
  }

  @Test
  void refusesADataSourceThatIsClosed() {
    HikariDataSource closed = pool(schema.url());
    closed.close();

    assertThatThrownBy(() -> Holdfast.create(closed))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContainingAll("connecting to the database", "closed");
  }

  @Test
  void refusesADatabaseThatDoesNotAnswer() {
    // nobody listens on port 1
    String nowhere =
        schema.url().startsWith("jdbc:h2:")
            ? "jdbc:h2:tcp://127.0.0.1:1/nowhere"
            : schema.url().replaceFirst("//[^/]+/", "//127.0.0.1:1/");
    try (HikariDataSource unreachable = pool(nowhere)) {
      // a pool that is made when first needed fails with an exception of its own
      assertThatThrownBy(() -> Holdfast.create(unreachable))
          .isInstanceOfSatisfying(
              DatabaseException.class,
              failure -> assertThat(failure.error()).isEqualTo(SqlError.CONNECTION_LOST))
          .hasMessageContaining("no connection to the database");
    }
  }

  private HikariDataSource pool(String url) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setUsername(schema.user());
    pool.setPassword(schema.password());
    return pool;
  }
}
