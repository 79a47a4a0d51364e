package dev.holdfast.testing.idempotency;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.testing.contract.WorkflowTestProcess;
import java.io.IOException;

/** An instance that works under claims in a database, as a process of its own. */
final class SqlWorkflowsMain {
  private SqlWorkflowsMain() {}

  public static void main(String[] args) throws IOException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    config.setUsername(args[1]);
    config.setPassword(args[2]);
    config.setMaximumPoolSize(8);
    try (HikariDataSource dataSource = new HikariDataSource(config)) {
      WorkflowTestProcess.run(
          Holdfast.builder(dataSource)
              .idempotency(WorkflowTestProcess.OPTIONS)
              .build()
              .workflows());
    }
  }
}
