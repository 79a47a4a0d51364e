package dev.holdfast.testing.contract;

import dev.holdfast.Holdfast;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.internal.codec.CodecFactories;
import dev.holdfast.internal.idempotency.store.SqlIdempotencyStore;
import dev.holdfast.internal.workflow.DefaultWorkflows;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.Workflows;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of steps in transactions stand on: claims, and a table of the business. */
abstract class SqlStepTests extends IdempotencyTests {
  private final AtomicInteger runs = new AtomicInteger();
  TestSchema schema;
  Workflows claims;

  @SuppressWarnings("NullAway.Init")
  SqlStepTests(TestDatabase database) {
    super(() -> new Schemas(database.newSchema()));
  }

  /** A place whose schema the test sees. */
  private record Schemas(TestSchema schema, IdempotencyStoreFixture place)
      implements IdempotencyStoreFixture {
    Schemas(TestSchema schema) {
      this(schema, IdempotencyStoreFixture.in(schema));
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
    claims = with(o -> o);
  }

  /** As the workflows of the tests, with changed options. */
  final Workflows with(UnaryOperator<IdempotencyOptions.Builder> options) {
    return Holdfast.builder(schema.dataSource())
        .idempotency(
            options
                .apply(IdempotencyOptions.builder().leaseDuration(LONG).waitTimeout(Duration.ZERO))
                .build())
        .build()
        .workflows();
  }

  /** As the workflows of the tests, in these transactions and with changed options. */
  final Workflows with(
      Transactions transactions, UnaryOperator<IdempotencyOptions.Builder> options) {
    return new DefaultWorkflows(
        SqlIdempotencyStore.create(
            schema.dataSource(), Holdfast.create(schema.dataSource()).dialect(), null, 1),
        options
            .apply(IdempotencyOptions.builder().leaseDuration(LONG).waitTimeout(Duration.ZERO))
            .build(),
        CodecFactories.of(null),
        transactions);
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

  final OpenWorkflow open(Workflows claims, IdempotencyKey key) {
    return ((BeginResult.Open<OpenWorkflow>)
            claims.begin(IdempotencyRequest.of(key, Codec.bytes()).fingerprint(PAYLOAD)))
        .request();
  }
}
