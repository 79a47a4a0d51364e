package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.orm.jpa.SharedEntityManagerCreator;

/** Calls join the transactions of Spring's manager for JPA, with Hibernate. */
class JpaTransactionContextIT {
  /** The contract, with this manager. */
  abstract static class OfJpa extends SpringTransactionContextContract {
    OfJpa(TestDatabase database) {
      super(database);
    }

    @Override
    ApplicationContextRunner withManager(ApplicationContextRunner application) {
      return application.withUserConfiguration(JpaShopIT.Jpa.class);
    }

    /** Hibernate's has none. */
    @Override
    boolean nests() {
      return false;
    }

    @Test
    void anEntityAndItsEventAreCommittedOrRolledBackTogether() {
      run(
          app -> {
            EntityManager entities =
                SharedEntityManagerCreator.createSharedEntityManager(
                    app.context().getBean(EntityManagerFactory.class));
            app.rollBack(
                () -> {
                  entities.persist(new JpaShopIT.Basket(UUID.randomUUID()));
                  entities.flush();
                  app.schedule("a");
                });
            assertThat(baskets(app)).isZero();
            assertThat(app.stored("a")).isZero();

            app.commit(
                () -> {
                  entities.persist(new JpaShopIT.Basket(UUID.randomUUID()));
                  app.schedule("a");
                });
            assertThat(baskets(app)).isOne();
            assertThat(app.stored("a")).isOne();
          });
    }

    private static long baskets(Application app) {
      Long count = app.jdbc().queryForObject("select count(*) from baskets", Long.class);
      return count == null ? 0 : count;
    }
  }

  @Nested
  class OnH2 extends OfJpa {
    OnH2() {
      super(TestDatabase.h2());
    }
  }

  @Nested
  class OnPostgreSql extends OfJpa {
    OnPostgreSql() {
      super(TestDatabase.postgreSql());
    }
  }
}
