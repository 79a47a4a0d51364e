package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What an application does by JPA is committed with the record of its request, or not at all. */
class JpaShopIT {
  private static Shop open() {
    return Shop.open(List.of("holdfast.idempotency.filter.enabled=true"), Jpa.class);
  }

  private static long baskets(Shop shop) {
    return shop.jdbc().sql("SELECT count(*) FROM baskets").query(Long.class).single();
  }

  @Test
  void anEntityIsStoredOnceHoweverOftenItsRequestIsSent() throws Exception {
    try (Shop shop = open()) {
      HttpResponse<String> first = shop.post("/baskets", "ana", "k");
      HttpResponse<String> again = shop.post("/baskets", "ana", "k");

      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.headers().firstValue("Idempotency-Mode")).hasValue("transaction");
      assertThat(again.body()).isEqualTo(first.body()).isNotEmpty();
      assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(baskets(shop)).isEqualTo(1);
      assertThat(shop.records()).isEqualTo(1);
    }
  }

  @Test
  void anEntityThatWasFlushedIsRolledBackWithTheRecord() throws Exception {
    try (Shop shop = open()) {
      assertThat(shop.post("/baskets/broken", "ana", "k").statusCode()).isEqualTo(500);

      assertThat(baskets(shop)).isZero();
      assertThat(shop.records()).isZero();
    }
  }

  /** What fails when JPA writes at the commit: nothing was done, and nothing is remembered. */
  @Test
  void anEntityThatCannotBeStoredAtTheCommitIsNotToldAsASuccess() throws Exception {
    try (Shop shop = open()) {
      shop.jdbc().sql("INSERT INTO baskets VALUES (?)").param(new UUID(0, 0)).update();

      HttpResponse<String> answer = shop.post("/baskets/taken", "ana", "k");

      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(answer.body()).contains("urn:holdfast:problem:idempotency-rolled-back");
      assertThat(baskets(shop)).isEqualTo(1);
      assertThat(shop.records()).isZero();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Import({Baskets.class, BasketController.class})
  static class Jpa {
    @Bean
    LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
      LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
      factory.setDataSource(dataSource);
      factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
      factory.setPackagesToScan(JpaShopIT.class.getPackageName());
      factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
      return factory;
    }

    @Bean
    PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
      return new JpaTransactionManager(factory);
    }
  }

  @Entity
  @Table(name = "baskets")
  static class Basket {
    @Id private UUID id;

    /** For JPA. */
    @SuppressWarnings("NullAway.Init")
    protected Basket() {}

    Basket(UUID id) {
      this.id = id;
    }

    UUID id() {
      return id;
    }
  }

  /** Stores entities. */
  static class Baskets {
    @PersistenceContext private EntityManager entities;

    @SuppressWarnings("NullAway.Init")
    Baskets() {}

    @Transactional
    public String add(UUID id) {
      Basket basket = new Basket(id);
      entities.persist(basket);
      return basket.id().toString();
    }

    @Transactional
    public void flush() {
      entities.flush();
    }
  }

  @RestController
  static class BasketController {
    private final Baskets baskets;

    BasketController(Baskets baskets) {
      this.baskets = baskets;
    }

    @PostMapping("/baskets")
    String add() {
      return baskets.add(UUID.randomUUID());
    }

    @PostMapping("/baskets/broken")
    String fail() {
      String basket = baskets.add(UUID.randomUUID());
      baskets.flush();
      throw new IllegalStateException("broke after " + basket);
    }

    @PostMapping("/baskets/taken")
    String addTaken() {
      return baskets.add(new UUID(0, 0));
    }
  }
}
