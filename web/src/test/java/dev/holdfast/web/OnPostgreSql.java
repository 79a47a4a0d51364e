package dev.holdfast.web;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs the inherited tests of the API on PostgreSQL, which the service uses, instead of H2. */
final class OnPostgreSql implements BeforeAllCallback, AfterAllCallback {
  private final List<TestSchema> schemas = new ArrayList<>();

  @Override
  public void beforeAll(ExtensionContext context) {
    Application.use(this::newDatabase);
  }

  private DataSource newDatabase() {
    TestSchema schema = TestDatabase.postgreSql().newSchema();
    schemas.add(schema);
    return schema.dataSource();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Application.use(null);
    schemas.forEach(TestSchema::close);
  }
}
