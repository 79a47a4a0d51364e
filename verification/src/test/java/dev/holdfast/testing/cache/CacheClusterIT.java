package dev.holdfast.testing.cache;

import dev.holdfast.Holdfast;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.testing.contract.CacheProcessesContract;
import java.util.List;
import org.junit.jupiter.api.Nested;

/** The shared cache in several processes, where they are told, and where nobody is told. */
class CacheClusterIT {
  private static CacheProcessesContract.Place place(TestDatabase database) {
    TestSchema schema = database.newSchema();
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute("create table loads (name varchar(100))");
    return new CacheProcessesContract.Place() {
      @Override
      public List<String> main() {
        return List.of(
            SqlCacheMain.class.getName(), schema.url(), schema.user(), schema.password());
      }

      @Override
      public int loads(String key) {
        return (int) schema.count("select count(*) from loads where name = '" + key + "'");
      }

      @Override
      public void close() {
        schema.close();
      }
    };
  }

  @Nested
  class PostgreSql extends CacheProcessesContract {
    PostgreSql() {
      super(() -> place(TestDatabase.postgreSql()));
    }
  }

  @Nested
  class MariaDb extends CacheProcessesContract {
    MariaDb() {
      super(() -> place(TestDatabase.mariaDb()));
    }
  }
}
