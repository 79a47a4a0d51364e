package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * An application of Spring that knows nothing of races, but for the data source that is wrapped.
 */
final class SpringIT {
  private static Counter counter;
  private static AnnotationConfigApplicationContext spring;

  /** The application. */
  @Configuration
  @EnableTransactionManagement
  static class Application {
    @Bean
    DataSource dataSource() {
      return RaceDataSource.wrap(counter.dataSource());
    }

    @Bean
    PlatformTransactionManager transactions(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }

    @Bean
    JdbcClient jdbc(DataSource dataSource) {
      return JdbcClient.create(dataSource);
    }

    @Bean
    Log log(JdbcClient jdbc) {
      return new Log(jdbc);
    }

    @Bean
    Counting counting(JdbcClient jdbc, Log log) {
      return new Counting(jdbc, log);
    }
  }

  /** Its service. */
  static class Counting {
    private final JdbcClient jdbc;
    private final Log log;

    Counting(JdbcClient jdbc, Log log) {
      this.jdbc = jdbc;
      this.log = log;
    }

    private int read(String more) {
      return jdbc.sql(Counter.LOOK + more).query(Integer.class).single();
    }

    private void write(int n) {
      jdbc.sql("update counter set n = :n where id = 1").param("n", n).update();
    }

    @Transactional
    void upByReading() {
      write(read("") + 1);
    }

    @Transactional
    void upWithLock() {
      write(read(" for update") + 1);
    }

    @Transactional(isolation = Isolation.SERIALIZABLE)
    void upSerializable() {
      write(read("") + 1);
    }

    /** In a transaction of its own, with another one inside. */
    @Transactional
    void upAndLog() {
      write(read(" for update") + 1);
      log.add();
    }

    @Transactional
    void upAndLogByReading() {
      int n = read("");
      log.add();
      write(n + 1);
    }
  }

  /** What it writes however the rest ends. */
  static class Log {
    private final JdbcClient jdbc;

    Log(JdbcClient jdbc) {
      this.jdbc = jdbc;
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    void add() {
      jdbc.sql("insert into log(line) values ('up')").update();
    }
  }

  @BeforeAll
  static void open() {
    counter = Counter.onPostgreSql();
    counter
        .schema()
        .execute("create table log(id int generated always as identity, line varchar(20))");
    spring = new AnnotationConfigApplicationContext(Application.class);
  }

  @AfterAll
  static void close() {
    spring.close();
    counter.close();
  }

  private static Counting counting() {
    return spring.getBean(Counting.class);
  }

  private static RaceReport explore(ActorAction operation) {
    return Race.create(spring.getBean(DataSource.class)).actors(2, operation).explore();
  }

  private static void isFine(RaceReport report) {
    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.isExhaustive()).as(report.text()).isTrue();
  }

  @Test
  void aBugInATransactionOfSpringIsFound() {
    RaceReport report = explore(ds -> counting().upByReading());

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
    assertThat(report.text()).contains("SpringIT.java:");
  }

  @Test
  void itsTwinIsFine() {
    isFine(explore(ds -> counting().upWithLock()));
  }

  @Test
  void theLevelOfATransactionIsHeard() {
    RaceReport report = explore(ds -> counting().upSerializable());

    isFine(report);
    assertThat(report.text()).contains("rejected by the database: A SERIALIZATION_FAILURE");
  }

  @Test
  void retriesAreFine() {
    RaceReport report = explore(ds -> retrying(() -> counting().upSerializable()));

    isFine(report);
    assertThat(report.text()).doesNotContain("refused");
  }

  private static void retrying(Runnable work) {
    for (int attempt = 0; attempt < 5; attempt++) {
      try {
        work.run();
        return;
      } catch (PessimisticLockingFailureException tryAgain) {
        assertThat(tryAgain).hasRootCauseInstanceOf(SQLException.class);
      }
    }
    throw new IllegalStateException("refused five times");
  }

  @Test
  void followsNestedTransaction() {
    isFine(explore(ds -> counting().upAndLog()));

    RaceReport report = explore(ds -> counting().upAndLogByReading());
    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
  }

  @Test
  void runsThatAreCutLogNothing() {
    try (LogLines log = LogLines.caught()) {
      RaceReport report = explore(ds -> counting().upAndLog());

      isFine(report);
      assertThat(report.text()).contains("pruned");
      assertThat(log.lines()).isEmpty();
    }
  }

  @Test
  void wrapsNothingOutsideOfRace() {
    counting().upWithLock();

    assertThat(counter.value()).isEqualTo(1);
    counter.schema().execute("update counter set n = 0");
  }
}
