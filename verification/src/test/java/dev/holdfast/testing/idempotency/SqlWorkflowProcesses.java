package dev.holdfast.testing.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.testing.ServedH2;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.testing.contract.IdempotencyStoreFixture;
import dev.holdfast.testing.contract.WorkflowProcessesContract;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Workflows of several processes in a database. */
abstract class SqlWorkflowProcesses extends WorkflowProcessesContract {
  private final TestSchema schema;

  /** A schema that other processes find. */
  private record Place(TestSchema schema, IdempotencyStoreFixture place)
      implements WorkflowProcessesContract.Place {
    @Override
    public List<String> main() {
      return List.of(
          SqlWorkflowsMain.class.getName(), ServedH2.url(schema), schema.user(), schema.password());
    }

    @Override
    public IdempotencyStore open() {
      return place.open();
    }

    @Override
    public boolean transactional() {
      return true;
    }

    @Override
    public void close() {
      place.close();
    }
  }

  SqlWorkflowProcesses(TestDatabase database) {
    this(database.newSchema());
  }

  private SqlWorkflowProcesses(TestSchema schema) {
    super(() -> new Place(schema, IdempotencyStoreFixture.in(schema)));
    this.schema = schema;
  }

  @Test
  void transactionalStepSurvivesCrash() throws Exception {
    schema.execute("create table orders (name varchar(100) not null)");
    Forked victim = fork();
    for (String name : List.of("txin-", "txafter-")) {
      victim.ask(name, 1);
      hears("hanging");
    }
    victim.kill();

    Forked other = fork();
    for (String name : List.of("txin-", "txafter-")) {
      other.ask(name, 1);
      hears("done " + name + " ");
      assertThat(schema.count("select count(*) from orders where name = '" + name + "'"))
          .isEqualTo(1);
    }
  }
}
