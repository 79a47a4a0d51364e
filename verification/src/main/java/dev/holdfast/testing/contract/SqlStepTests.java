package dev.holdfast.testing.contract;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Begun;
import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyStore;
import dev.holdfast.sql.Transaction;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of steps in transactions stand on: claims, and a table of the business. */
abstract class SqlStepTests extends IdempotencyTests {
  private final AtomicInteger runs = new AtomicInteger();
  TestSchema schema;
  Claims claims;

  @SuppressWarnings("NullAway.Init")
  SqlStepTests(TestDatabase database) {
    super(() -> new Schemas(database.newSchema()));
  }

  /** A place whose schema the test sees. */
  private record Schemas(TestSchema schema, IdempotencyPlace place) implements IdempotencyPlace {
    Schemas(TestSchema schema) {
      this(schema, IdempotencyPlace.in(schema));
    }

    @Override
    public IdempotencyStore open() {
      return place.open();
    }

    @Override
    public boolean transactional() {
      return place.transactional();
    }

    @Override
    public void close() {
      place.close();
    }
  }

  @BeforeEach
  final void openClaims() {
    schema = ((Schemas) place).schema();
    schema.execute("create table orders (name varchar(100) not null)");
    claims =
        Holdfast.create(schema.dataSource())
            .idempotency()
            .claims()
            .lease(LONG)
            .waiting(Duration.ZERO);
  }

  final String order(Transaction tx, String name) throws SQLException {
    try (PreparedStatement insert =
        tx.connection().prepareStatement("insert into orders (name) values (?)")) {
      insert.setString(1, name);
      insert.executeUpdate();
    }
    return name + " " + runs.incrementAndGet();
  }

  final long orders() {
    return schema.count("select count(*) from orders");
  }

  final Claim open(Claims claims, IdempotencyKey key) {
    return ((Begun.Open<Claim>) claims.begin(key, PAYLOAD)).record();
  }
}
