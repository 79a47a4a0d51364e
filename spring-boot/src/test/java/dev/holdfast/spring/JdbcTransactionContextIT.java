package dev.holdfast.spring;

import dev.holdfast.testing.TestDatabase;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Calls join the transactions of Spring's manager for JDBC. */
class JdbcTransactionContextIT {
  /** The manager under test. */
  @Configuration(proxyBeanMethods = false)
  static class Jdbc {
    @Bean
    PlatformTransactionManager transactionManager(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }
  }

  /** The contract, with this manager. */
  abstract static class OfJdbc extends SpringTransactionContextContract {
    OfJdbc(TestDatabase database) {
      super(database);
    }

    @Override
    ApplicationContextRunner withManager(ApplicationContextRunner application) {
      return application.withUserConfiguration(Jdbc.class);
    }
  }

  @Nested
  class OnH2 extends OfJdbc {
    OnH2() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class OnPostgreSql extends OfJdbc {
    OnPostgreSql() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class OnMariaDb extends OfJdbc {
    OnMariaDb() {
      super(TestDatabase.mariaDb());
    }
  }
}
