package dev.holdfast.race.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.Race;
import dev.holdfast.race.RaceDataSource;
import dev.holdfast.race.RaceReport;
import dev.holdfast.race.RaceTest;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;

/** Beans that have a data source of their own are explored as they are: docs/guides/races.md. */
class SpringGuideIT {
  private static final TestSchema SCHEMA = TestDatabase.postgreSql().newSchema();

  @TestConfiguration(proxyBeanMethods = false)
  static class RaceConfiguration {
    @Bean
    static BeanPostProcessor racing() {
      return new BeanPostProcessor() {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
          return bean instanceof DataSource dataSource ? RaceDataSource.wrap(dataSource) : bean;
        }
      };
    }
  }

  /** The application: it knows nothing of races. */
  static class Application {
    @Bean(destroyMethod = "")
    DataSource dataSource() {
      return SCHEMA.dataSource();
    }

    @Bean
    Coupons coupons(DataSource dataSource) {
      return new Coupons(dataSource);
    }
  }

  /** Marks coupons as used. */
  record Coupons(DataSource dataSource) {
    void redeem(String code) throws SQLException {
      if (count("update coupons set used = used + 1 where used = 0 and code = ", code) == 0) {
        throw new IllegalStateException("coupon " + code + " is used");
      }
    }

    void redeemUnguarded(String code) throws SQLException {
      if (count("update coupons set used = used where used = 0 and code = ", code) == 0) {
        throw new IllegalStateException("coupon " + code + " is used");
      }
      count("update coupons set used = used + 1 where code = ", code);
    }

    private int count(String sql, String code) throws SQLException {
      try (Connection connection = dataSource.getConnection();
          Statement statement = connection.createStatement()) {
        return statement.executeUpdate(sql + "'" + code + "'");
      }
    }
  }

  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext(RaceConfiguration.class, Application.class);
  private final DataSource dataSource = context.getBean(DataSource.class);
  private final Coupons coupons = context.getBean(Coupons.class);

  @BeforeAll
  static void create() {
    SCHEMA.execute("create table coupons (code varchar(20) primary key, used int not null)");
  }

  @AfterAll
  static void drop() {
    SCHEMA.close();
  }

  @AfterEach
  void close() {
    context.close();
  }

  @RaceTest
  void usesCouponOnce(Race race) {
    race.given("insert into coupons (code, used) values ('TEN', 0)")
        .actor("Ana", ds -> coupons.redeem("TEN"))
        .actor("Ben", ds -> coupons.redeem("TEN"))
        .explore();
  }

  @Test
  void withoutTheGuardItIsFound() {
    RaceReport report =
        Race.create(dataSource)
            .given("insert into coupons (code, used) values ('TEN', 0)")
            .actors(2, ds -> coupons.redeemUnguarded("TEN"))
            .explore();

    assertThat(report.hasFinding()).as(report.text()).isTrue();
  }
}
