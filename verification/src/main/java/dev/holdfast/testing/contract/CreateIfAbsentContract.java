package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.CreateResult;
import dev.holdfast.guard.CreateResult.AlreadyExists;
import dev.holdfast.guard.CreateResult.Created;
import dev.holdfast.guard.GuardException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionStateException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What creating once guarantees. */
public abstract class CreateIfAbsentContract extends DatabaseContract {
  protected CreateIfAbsentContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createAccounts() {
    AccountRace.createAccounts(schema, database(), true);
  }

  private static CreateIfAbsent account(String email) {
    return CreateIfAbsent.table("accounts").key("email", email);
  }

  private CreateResult apply(CreateIfAbsent creation) {
    return transactions.<CreateResult, RuntimeException>call(creation::apply);
  }

  private boolean isMySqlFamily() {
    return database().name().equals("MariaDB") || database().name().equals("MySQL");
  }

  @Test
  void createsARowAndAnswersAllOfIt() {
    CreateResult result = apply(account("ana@x").set("name", "Ana").setNow("created_at"));

    assertThat(result).isInstanceOf(Created.class);
    assertThat(result.row().number("id")).isEqualTo(schema.count("select id from accounts"));
    assertThat(result.row().text("name")).isEqualTo("Ana");
    assertThat(result.row().text("plan")).isEqualTo("free");
    assertThat(result.row().get("created_at")).isNotNull();
    assertThat(result.row().get("nickname")).isNull();
  }

  @Test
  void findsTheRowThatIsThereAndLeavesItAsItIs() {
    CreateResult first = apply(account("ana@x").set("name", "Ana"));
    CreateResult second = apply(account("ana@x").set("name", "Bo").set("nickname", "b"));

    assertThat(second).isEqualTo(new AlreadyExists(first.row()));
    assertThat(second.created()).isFalse();
    assertThat(schema.count("select count(*) from accounts where name = 'Ana'")).isEqualTo(1);
  }

  @Test
  void createsFromAKeyAlone() {
    assertThat(apply(account("ana@x"))).isInstanceOf(Created.class);
    assertThat(apply(account("ana@x"))).isInstanceOf(AlreadyExists.class);
  }

  @Test
  void takesPrimaryKeysAndKeysOfSeveralColumns() {
    schema.execute(
        "create table seats (flight bigint, seat varchar(4), guest varchar(20),"
            + " primary key (flight, seat))");
    CreateIfAbsent seat = CreateIfAbsent.table("seats").key("SEAT", "12A").key("flight", 7);

    assertThat(apply(seat.set("guest", "Ana"))).isInstanceOf(Created.class);
    assertThat(apply(seat.set("guest", "Bo")).row().text("guest")).isEqualTo("Ana");
    assertThat(apply(CreateIfAbsent.table("seats").key("seat", "12B").key("flight", 7)))
        .isInstanceOf(Created.class);
  }

  @Test
  void findsTablesByTheirFullNames() {
    String full = qualifier() + ".accounts";

    assertThat(apply(CreateIfAbsent.table(full).key("email", "ana@x"))).isInstanceOf(Created.class);
    assertThat(apply(CreateIfAbsent.table(full).key("email", "ana@x")))
        .isInstanceOf(AlreadyExists.class);
  }

  private String qualifier() {
    return database().name().equals("H2") ? "public" : schema.name();
  }

  @Test
  void leavesTheTransactionUsable() {
    apply(account("ana@x"));

    transactions.run(
        tx -> {
          assertThat(account("ana@x").apply(tx)).isInstanceOf(AlreadyExists.class);
          assertThat(account("bo@x").apply(tx)).isInstanceOf(Created.class);
          assertThat(account("bo@x").apply(tx)).isInstanceOf(AlreadyExists.class);
        });

    assertThat(schema.count("select count(*) from accounts")).isEqualTo(2);
  }

  @Test
  void rollsBackWithTheCallersTransaction() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      account("ana@x").apply(tx);
                      throw new IllegalStateException("the caller changed its mind");
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(schema.count("select count(*) from accounts")).isZero();
    assertThat(apply(account("ana@x"))).isInstanceOf(Created.class);
  }

  @Test
  void findsRowsCommittedSinceStart() throws SQLException {
    findsWhatOthersHaveCommitted();
  }

  @Test
  void findsCommittedRowsInReadCommitted() throws SQLException {
    transactions = transactions.isolation(Isolation.READ_COMMITTED);
    findsWhatOthersHaveCommitted();
  }

  private void findsWhatOthersHaveCommitted() throws SQLException {
    transactions.run(
        tx -> {
          look(tx.connection());
          CreateResult first = apply(account("ana@x"));
          assertThat(account("ana@x").apply(tx)).isEqualTo(new AlreadyExists(first.row()));
        });
  }

  @Test
  void rowNewerThanSnapshotIsNotRecreated() throws SQLException {
    for (Isolation isolation :
        new Isolation[] {Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE}) {
      String email = isolation + "@x";
      try {
        transactions
            .isolation(isolation)
            .run(
                tx -> {
                  look(tx.connection());
                  if (isolation == Isolation.SERIALIZABLE && isMySqlFamily()) {
                    return; // there the look above locks the whole table
                  }
                  apply(account(email));
                  assertThat(account(email).apply(tx)).isInstanceOf(AlreadyExists.class);
                });
      } catch (HoldfastException e) {
        assertThat(e.isRetryable()).as(e.toString()).isTrue();
      }
    }
    assertThat(schema.count("select count(*) from accounts")).isEqualTo(isMySqlFamily() ? 1 : 2);
  }

  private static void look(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery("select * from accounts").close();
    }
  }

  @Test
  void createsARowThatVanishesBeforeItIsRead() throws SQLException {
    Assumptions.assumeFalse(isMySqlFamily(), "a duplicate is locked there: it cannot vanish");
    apply(account("ana@x"));
    AtomicBoolean vanished = new AtomicBoolean();

    try (Connection connection = schema.unpooled().getConnection()) {
      connection.setAutoCommit(false);
      Connection watched =
          beforeEachRead(
              connection,
              () -> {
                if (vanished.compareAndSet(false, true)) {
                  schema.execute("delete from accounts");
                }
              });
      assertThat(account("ana@x").apply(Transaction.of(watched))).isInstanceOf(Created.class);
      connection.commit();
    }
    assertThat(vanished).isTrue();
    assertThat(schema.count("select count(*) from accounts")).isEqualTo(1);
  }

  @Test
  void givesUpOnARowThatIsNeverThere() {
    Assumptions.assumeTrue(
        database().name().equals("PostgreSQL"), "only there can a row be refused silently");
    schema.execute(
        "create function refuse() returns trigger language plpgsql as 'begin return null; end'",
        "create trigger refuse before insert on accounts for each row execute function refuse()");

    assertThatThrownBy(() -> apply(account("ana@x")))
        .isInstanceOfSatisfying(HoldfastException.class, e -> assertThat(e.isRetryable()).isTrue())
        .hasMessageContainingAll("ana@x", "neither");
  }

  private static Connection beforeEachRead(Connection connection, Runnable action) {
    return (Connection)
        Proxy.newProxyInstance(
            CreateIfAbsentContract.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && arguments[0].toString().contains(" WHERE ")) {
                action.run();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void saysThatAnotherConstraintIsInTheWay() {
    apply(account("ana@x").set("nickname", "a"));

    for (Isolation isolation : new Isolation[] {Isolation.READ_COMMITTED, null}) {
      transactions = isolation == null ? transactions : transactions.isolation(isolation);
      assertThatThrownBy(() -> apply(account("bo@x").set("nickname", "a")))
          .isInstanceOfSatisfying(
              DatabaseException.class,
              e -> assertThat(e.error()).isEqualTo(SqlError.UNIQUE_VIOLATION))
          .hasMessageContainingAll("bo@x", "another unique constraint", "make its columns the key");
    }
    assertThat(schema.count("select count(*) from accounts")).isEqualTo(1);
    assertThat(apply(account("ana@x").set("nickname", "a"))).isInstanceOf(AlreadyExists.class);
  }

  @Test
  void refusesAKeyThatIsNotUnique() {
    CreateIfAbsent byName =
        CreateIfAbsent.table("accounts").key("name", "Ana").set("email", "ana@x");

    notUnique(byName);
    notUnique(CreateIfAbsent.table("accounts").key("name", "Ana").key("email", "ana@x"));
    schema.execute("create unique index both_names on accounts (name, nickname)");
    notUnique(byName);
    assertThat(schema.count("select count(*) from accounts")).isZero();

    schema.execute("create unique index by_name on accounts (name)");
    assertThat(apply(byName)).isInstanceOf(Created.class);
    assertThat(apply(byName)).isInstanceOf(AlreadyExists.class);
  }

  @Test
  void refusesAKeyThatTheColumnRounds() {
    schema.execute("create table prices (price decimal(10, 2) primary key, note varchar(20))");
    CreateIfAbsent price =
        CreateIfAbsent.table("prices").key("price", new BigDecimal("1.234")).set("note", "odd");

    unusable(price, "1.234", "rounding");
    assertThat(schema.count("select count(*) from prices")).isZero();
    CreateIfAbsent even = CreateIfAbsent.table("prices").key("price", new BigDecimal("1.23"));
    assertThat(apply(even).row().values()).hasSize(2);
    assertThat(apply(even)).isInstanceOf(AlreadyExists.class);
  }

  @Test
  void rejectsGeneratedKey() {
    Assumptions.assumeTrue(isMySqlFamily(), "only there 0 means the next number");
    schema.execute("create table numbered (id bigint auto_increment primary key, n integer)");

    unusable(CreateIfAbsent.table("numbered").key("id", 0).set("n", 1), "id=0", "AUTO_INCREMENT");
    assertThat(schema.count("select count(*) from numbered")).isZero();
    assertThat(apply(CreateIfAbsent.table("numbered").key("id", 9))).isInstanceOf(Created.class);
  }

  private void notUnique(CreateIfAbsent creation) {
    unusable(creation, "accounts", "name", "unique constraint");
  }

  private void unusable(CreateIfAbsent creation, String... because) {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      try {
                        creation.apply(tx);
                      } catch (GuardException swallowed) {
                        // and commits all the same: the transaction must know better
                      }
                    }))
        .isInstanceOf(HoldfastException.class)
        .cause()
        .isInstanceOfSatisfying(
            GuardException.class, e -> assertThat(e.code()).isEqualTo("guard-unusable-key"))
        .hasMessageContainingAll(because);
  }

  @Test
  void refusesBadInputBeforeAnythingIsSent() {
    refused("key", () -> apply(CreateIfAbsent.table("accounts").set("email", "ana@x")));
    refused("null", () -> account(no(String.class)));
    refused("blank", () -> CreateIfAbsent.table("accounts").key(" ", 1));
    refused("blank", () -> CreateIfAbsent.table(""));
    refused("both", () -> account("ana@x").set("EMAIL", "bo@x"));
    refused("both", () -> CreateIfAbsent.table("a").set("b", 1).key("b", 2));
    refused("twice", () -> account("ana@x").key("email", "bo@x"));
    refused("twice", () -> account("ana@x").set("name", "A").setNow("name"));
    refused("name", () -> apply(CreateIfAbsent.table("accounts; drop table x").key("email", "e")));
    refused("name", () -> apply(CreateIfAbsent.table("accounts").key("email) --", "e")));
    refused("name", () -> apply(account("ana@x").set("name\", \"plan", 1)));
    assertThatThrownBy(() -> transactions.readOnly().run(tx -> account("ana@x").apply(tx)))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("read-only");
    assertThat(schema.count("select count(*) from accounts")).isZero();
  }

  private static void refused(String because, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(because);
  }

  @SuppressWarnings({"NullAway", "UnusedVariable"})
  private static <T> T no(Class<T> type) {
    return null;
  }

  @Test
  void saysWhatIsWrongWithTheRow() {
    sqlError(SqlError.OBJECT_NOT_FOUND, CreateIfAbsent.table("nowhere").key("email", "ana@x"));
    sqlError(SqlError.OBJECT_NOT_FOUND, account("ana@x").set("no_such_column", 1));
    sqlError(
        SqlError.OBJECT_NOT_FOUND, CreateIfAbsent.table("accounts").key("no_such_key", "ana@x"));
    sqlError(SqlError.NOT_NULL_VIOLATION, account("ana@x").set("plan", null));
    assertThat(schema.count("select count(*) from accounts")).isZero();
  }

  private void sqlError(SqlError error, CreateIfAbsent creation) {
    assertThatThrownBy(() -> apply(creation))
        .isInstanceOfSatisfying(
            DatabaseException.class, failure -> assertThat(failure.error()).isEqualTo(error));
  }
}
