package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.model.RunAborted;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.cfg.JdbcSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An application that uses Hibernate. */
final class HibernateIT {
  private static Counter counter;
  private static DataSource dataSource;
  private static SessionFactory hibernate;

  /** The counter, without a version. */
  @Entity
  @Table(name = "counter")
  static class Plain {
    @Id int id;
    int n;
  }

  /** One that knows when another was faster. */
  @Entity
  @Table(name = "versioned")
  static class Versioned {
    @Id int id;
    int n;
    @Version int version;
  }

  /** One whose numbers Hibernate takes from a sequence, fifty at a time. */
  @Entity
  @Table(name = "notes")
  static class Note {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "notes")
    @SequenceGenerator(name = "notes", sequenceName = "notes_seq")
    @Nullable Long id;

    String line = "up";
  }

  @BeforeAll
  static void open() {
    counter = Counter.onPostgreSql();
    counter
        .schema()
        .execute(
            "create table versioned(id int primary key, n int, version int)",
            "insert into versioned values (1, 0, 0)",
            "create table notes(id bigint primary key, line varchar(20))",
            "create sequence notes_seq increment by 50");
    dataSource = RaceDataSource.wrap(counter.dataSource());
    Configuration configuration = new Configuration();
    configuration.getProperties().put(JdbcSettings.JAKARTA_NON_JTA_DATASOURCE, dataSource);
    hibernate =
        configuration
            .addAnnotatedClass(Plain.class)
            .addAnnotatedClass(Versioned.class)
            .addAnnotatedClass(Note.class)
            .buildSessionFactory();
  }

  @AfterAll
  static void close() {
    hibernate.close();
    counter.close();
  }

  private static Race race() {
    return Race.create(dataSource);
  }

  private static void isFine(RaceReport report) {
    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.isExhaustive()).as(report.text()).isTrue();
  }

  private static void upPlain() {
    hibernate.inTransaction(session -> session.find(Plain.class, 1).n++);
  }

  private static void upLocked() {
    hibernate.inTransaction(
        session -> session.find(Plain.class, 1, LockModeType.PESSIMISTIC_WRITE).n++);
  }

  private static void upVersioned() {
    hibernate.inTransaction(session -> session.find(Versioned.class, 1).n++);
  }

  /** Says that it was refused, and does not try again. */
  private static String tryVersioned() {
    try {
      upVersioned();
      return "counted";
    } catch (OptimisticLockException refused) {
      return "refused";
    }
  }

  private static void retryVersioned() {
    while (!tryVersioned().equals("counted")) {
      Thread.onSpinWait();
    }
  }

  @Test
  void anEntityWithoutAVersionLosesAnUpdate() {
    RaceReport report = race().actors(2, ds -> upPlain()).explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
    assertThat(report.text()).contains("HibernateIT.java:");
  }

  @Test
  void aLockedOneIsFine() {
    isFine(race().actors(2, ds -> upLocked()).explore());
  }

  @Test
  void aVersionedOneThatIsTriedAgainIsFine() {
    isFine(race().actors(2, ds -> retryVersioned()).explore());
  }

  @Test
  void acceptsOptimisticLockFailureIfAllowed() {
    isFine(
        race()
            .actorsWithResult(2, ds -> tryVersioned())
            .invariant("each change has its version", "select n = version from versioned")
            .explore());
  }

  @Test
  void numbersThatHibernateKeepsDoNotMatter() {
    isFine(
        race()
            .actors(
                2,
                ds ->
                    hibernate.inTransaction(
                        session -> {
                          session.persist(new Note());
                          session.find(Plain.class, 1, LockModeType.PESSIMISTIC_WRITE).n++;
                        }))
            .explore());
  }

  @Test
  void findsBugBesideHibernateState() {
    RaceReport report =
        race()
            .actors(
                2,
                ds ->
                    hibernate.inTransaction(
                        session -> {
                          session.persist(new Note());
                          session.find(Plain.class, 1).n++;
                        }))
            .explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
  }

  /** As transaction managers end a transaction: what they catch there, they log as an error. */
  private static void managed(List<Throwable> logged, Consumer<EntityManager> work) {
    EntityManager entities = hibernate.createEntityManager();
    try {
      entities.getTransaction().begin();
      try {
        work.accept(entities);
      } catch (RuntimeException | Error failure) {
        noting(logged, () -> entities.getTransaction().rollback());
        throw failure;
      }
      entities.getTransaction().commit();
    } finally {
      noting(logged, entities::close);
    }
  }

  private static void noting(List<Throwable> logged, Runnable end) {
    try {
      end.run();
    } catch (RuntimeException | Error failure) {
      logged.add(failure);
    }
  }

  private static void upByLock(EntityManager entities) {
    entities.find(Versioned.class, 1);
    entities.find(Plain.class, 1, LockModeType.PESSIMISTIC_WRITE).n++;
    entities.flush();
  }

  @Test
  void runsThatAreCutLogNothing() {
    List<Throwable> logged = new CopyOnWriteArrayList<>();
    try (LogLines log = LogLines.caught()) {
      RaceReport report = race().actors(2, ds -> managed(logged, HibernateIT::upByLock)).explore();

      isFine(report);
      assertThat(report.text()).contains("pruned");
      assertThat(logged).isEmpty();
      assertThat(log.lines()).isEmpty();
    }
  }

  @Test
  void processesThatDieLogNothing() {
    List<Throwable> logged = new CopyOnWriteArrayList<>();
    try (LogLines log = LogLines.caught()) {
      RaceReport report =
          Crash.create(dataSource)
              .operation(ds -> managed(logged, HibernateIT::upByLock))
              .invariant("counted once or not", "select n <= 2 from counter")
              .explore();

      assertThat(report.hasFinding()).as(report.text()).isFalse();
      assertThat(report.isExhaustive()).as(report.text()).isTrue();
      assertThat(logged).noneMatch(HibernateIT::isOfRaceFinder);
      assertThat(log.lines()).noneMatch(line -> line.contains("RunAborted"));
    }
  }

  private static boolean isOfRaceFinder(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .anyMatch(RunAborted.class::isInstance);
  }
}
