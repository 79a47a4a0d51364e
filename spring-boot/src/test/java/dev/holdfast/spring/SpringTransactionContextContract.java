package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Events;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionRolledBackException;
import dev.holdfast.transaction.TransactionStateException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls join the transactions of Spring, with the manager that a subclass chooses. */
abstract class SpringTransactionContextContract {
  static final EventType<String> TEXT = EventType.of("text", String.class);

  private final TestDatabase database;
  private TestSchema schema;

  @SuppressWarnings("NullAway.Init")
  SpringTransactionContextContract(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void openSchema() {
    schema = database.newSchema();
  }

  @AfterEach
  void dropSchema() {
    schema.close();
  }

  /** Adds the transaction manager, with the name {@code transactionManager}. */
  abstract ApplicationContextRunner withManager(ApplicationContextRunner application);

  final void run(Consumer<Application> test) {
    run(application(), test);
  }

  private ApplicationContextRunner application() {
    DataSource dataSource = schema.dataSource();
    return withManager(
            new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
                .withBean("dataSource", DataSource.class, () -> dataSource))
        .withPropertyValues(
            "holdfast.schema.mode=migrate",
            "holdfast.worker.enabled=false",
            "holdfast.schedules.enabled=false");
  }

  private static void run(ApplicationContextRunner application, Consumer<Application> test) {
    application.run(
        context -> {
          assertThat(context).hasNotFailed();
          test.accept(new Application(context));
        });
  }

  /** What a test asks of an application. */
  record Application(AssertableApplicationContext context) {
    Holdfast holdfast() {
      return context.getBean(Holdfast.class);
    }

    Events events() {
      return holdfast().events();
    }

    DataSource dataSource() {
      return context.getBean("dataSource", DataSource.class);
    }

    JdbcTemplate jdbc() {
      return new JdbcTemplate(dataSource());
    }

    TransactionTemplate template() {
      return new TransactionTemplate(
          context.getBean("transactionManager", PlatformTransactionManager.class));
    }

    TransactionTemplate template(int propagation) {
      TransactionTemplate template = template();
      template.setPropagationBehavior(propagation);
      return template;
    }

    void commit(Runnable work) {
      template().executeWithoutResult(status -> work.run());
    }

    void rollBack(Runnable work) {
      rollBack(template(), work);
    }

    static void rollBack(TransactionTemplate template, Runnable work) {
      template.executeWithoutResult(
          status -> {
            work.run();
            status.setRollbackOnly();
          });
    }

    void schedule(String text) {
      events().schedule(TEXT.event(text));
    }

    /** In a transaction of its own, so that it sees what is committed. */
    long stored(String text) {
      return holdfast()
          .transactions()
          .requiresNew()
          .call(
              tx ->
                  events().find(EventFilter.all()).events().stream()
                      .filter(event -> text.equals(event.payload()))
                      .count());
    }
  }

  static void assertState(TransactionStateException.Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            TransactionStateException.class,
            refused -> assertThat(refused.reason()).isEqualTo(reason));
  }

  @Test
  void anEventIsCommittedOrRolledBackWithTheTransactionOfSpring() {
    run(
        app -> {
          app.jdbc().execute("create table orders (id integer primary key)");
          app.rollBack(
              () -> {
                app.jdbc().update("insert into orders values (1)");
                app.schedule("a");
                assertThat(app.events().find(EventFilter.all()).events())
                    .as("in the same transaction")
                    .hasSize(1);
              });
          assertThat(app.stored("a")).isZero();
          assertThat(orders(app)).isZero();

          app.commit(
              () -> {
                app.jdbc().update("insert into orders values (1)");
                app.schedule("a");
                assertThat(app.stored("a")).as("before the commit").isZero();
              });
          assertThat(app.stored("a")).isOne();
          assertThat(orders(app)).isOne();
        });
  }

  private static long orders(Application app) {
    Long count = app.jdbc().queryForObject("select count(*) from orders", Long.class);
    return count == null ? 0 : count;
  }

  @Test
  void aNewTransactionOfSpringInsideIsJoined() {
    run(
        app -> {
          TransactionTemplate inner = app.template(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
          app.commit(
              () -> {
                app.schedule("outer");
                Application.rollBack(inner, () -> app.schedule("inner"));
                app.schedule("outer");
              });
          assertThat(app.stored("outer")).isEqualTo(2);
          assertThat(app.stored("inner")).isZero();

          app.rollBack(
              () -> {
                app.schedule("outer");
                inner.executeWithoutResult(status -> app.schedule("inner"));
              });
          assertThat(app.stored("outer")).isEqualTo(2);
          assertThat(app.stored("inner")).isOne();
        });
  }

  /** Whether the manager has savepoints. */
  boolean nests() {
    return true;
  }

  @Test
  void anEventIsGoneWithTheSavepointOfItsNestedTransaction() {
    assumeTrue(nests(), "a manager with savepoints");
    run(
        app -> {
          TransactionTemplate nested = app.template(TransactionDefinition.PROPAGATION_NESTED);
          app.commit(
              () -> {
                app.schedule("outer");
                Application.rollBack(nested, () -> app.schedule("undone"));
                nested.executeWithoutResult(status -> app.schedule("nested"));
                // the end of a nested one is not that of the transaction
                assertThat(app.holdfast().transactions().isActive()).isTrue();
                app.schedule("outer");
              });
          assertThat(app.stored("outer")).isEqualTo(2);
          assertThat(app.stored("nested")).isOne();
          assertThat(app.stored("undone")).isZero();
        });
  }

  @Test
  void aReadOnlyTransactionRefusesWrites() {
    run(
        app -> {
          app.schedule("a");
          TransactionTemplate reading = app.template();
          reading.setReadOnly(true);
          reading.executeWithoutResult(
              status -> {
                assertThat(app.events().find(EventFilter.all()).events()).hasSize(1);
                assertState(
                    TransactionStateException.Reason.READ_ONLY, () -> app.schedule("refused"));
              });
          assertThat(app.stored("refused")).isZero();
        });
  }

  @Test
  void withoutATransactionACallOpensANewOne() {
    run(
        app -> {
          app.rollBack(
              () ->
                  app.template(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                      .executeWithoutResult(status -> app.schedule("not supported")));
          app.template(TransactionDefinition.PROPAGATION_NEVER)
              .executeWithoutResult(status -> app.schedule("never"));
          app.template(TransactionDefinition.PROPAGATION_SUPPORTS)
              .executeWithoutResult(
                  status -> {
                    // Spring keeps this connection until the end, in autocommit mode
                    Integer one = app.jdbc().queryForObject("select 1", Integer.class);
                    assertThat(one).isOne();
                    app.schedule("supports");
                  });

          assertThat(app.stored("not supported")).isOne();
          assertThat(app.stored("never")).isOne();
          assertThat(app.stored("supports")).isOne();
        });
  }

  @Test
  void rejectsTransactionOfOtherDataSource() {
    run(
        app -> {
          app.schedule("a");
          JdbcTransactionManager other = new JdbcTransactionManager(schema.dataSource(1));
          other.addListener(
              new SpringTransactionListener(other, SpringTransactionContext.OnMismatch.REJECT));
          new TransactionTemplate(other)
              .executeWithoutResult(
                  status -> {
                    assertMismatch(app);
                    // now Spring has a connection of it, which nothing would commit
                    assertThat(app.jdbc().queryForObject("select 1", Integer.class)).isOne();
                    assertMismatch(app);
                    app.holdfast().transactions().requiresNew().run(tx -> app.schedule("anyway"));
                  });
          assertThat(app.stored("b")).isZero();
          assertThat(app.stored("anyway")).isOne();
        });
  }

  private static void assertMismatch(Application app) {
    assertState(TransactionStateException.Reason.MISMATCH, () -> app.schedule("b"));
    assertThat(app.events().find(EventFilter.all()).events()).isNotEmpty();
  }

  @Test
  void aMismatchCanBeIgnored() {
    run(
        application().withPropertyValues("holdfast.transactions.on-mismatch=ignore"),
        app -> {
          Application.rollBack(
              new TransactionTemplate(new JdbcTransactionManager(schema.dataSource(1))),
              () -> app.schedule("a"));
          assertThat(app.stored("a")).isOne();
        });
  }

  @Test
  void callbacksAfterTheEndOpenNewTransactions() {
    run(
        app -> {
          for (boolean used : new boolean[] {false, true}) {
            app.commit(
                () -> {
                  if (used) {
                    app.schedule("before true");
                  }
                  callBack(app, "commit " + used);
                });
            assertThat(app.stored("after commit " + used)).isOne();
            assertThat(app.stored("completed commit " + used)).isOne();

            app.rollBack(
                () -> {
                  if (used) {
                    app.schedule("before true");
                  }
                  callBack(app, "rollback " + used);
                });
            assertThat(app.stored("after rollback " + used)).isZero();
            assertThat(app.stored("completed rollback " + used)).isOne();
          }
          assertThat(app.stored("before true")).isOne();
        });
  }

  private static void callBack(Application app, String text) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            assertThat(app.holdfast().transactions().isActive()).isFalse();
            app.schedule("after " + text);
            assertThat(app.stored("after " + text)).as("committed at once").isOne();
            // a new one inside is joined, and the outer one stays completed
            Application.rollBack(
                app.template(TransactionDefinition.PROPAGATION_REQUIRES_NEW),
                () -> app.schedule("after " + text));
            app.schedule("last " + text);
            assertThat(app.stored("last " + text)).isOne();
          }

          @Override
          public void afterCompletion(int status) {
            app.schedule("completed " + text);
          }
        });
  }

  @Test
  void aCallbackBeforeTheCommitJoins() {
    run(
        app -> {
          app.commit(
              () ->
                  TransactionSynchronizationManager.registerSynchronization(
                      new TransactionSynchronization() {
                        @Override
                        public void beforeCommit(boolean readOnly) {
                          app.schedule("a");
                          assertThat(app.stored("a")).as("before the commit").isZero();
                        }
                      }));
          assertThat(app.stored("a")).isOne();
        });
  }

  @Test
  void anotherThreadHasNoCurrentTransaction() {
    run(
        app -> {
          app.rollBack(
              () ->
                  CompletableFuture.runAsync(() -> app.schedule("a"))
                      .orTimeout(60, TimeUnit.SECONDS)
                      .join());
          assertThat(app.stored("a")).isOne();
        });
  }

  @Test
  void aSwallowedErrorOfHoldfastKeepsSpringFromCommitting() {
    run(
        app -> {
          assertThatThrownBy(
                  () ->
                      app.commit(
                          () -> {
                            app.schedule("before");
                            failQuietly(app);
                          }))
              .isInstanceOf(TransactionRolledBackException.class);
          assertThat(app.stored("before")).isZero();

          assertThatThrownBy(
                  () ->
                      app.commit(
                          () ->
                              TransactionSynchronizationManager.registerSynchronization(
                                  new TransactionSynchronization() {
                                    @Override
                                    public void beforeCommit(boolean readOnly) {
                                      app.schedule("late");
                                      failQuietly(app);
                                    }
                                  })))
              .isInstanceOf(TransactionRolledBackException.class);
          assertThat(app.stored("late")).isZero();

          // nothing is left on the thread
          app.commit(() -> app.schedule("next"));
          assertThat(app.stored("next")).isOne();
        });
  }

  private static void failQuietly(Application app) {
    Transaction tx = app.holdfast().transactions().current();
    assertThatThrownBy(
            () ->
                Holdfast.builder(app.dataSource())
                    .schema("nowhere")
                    .build()
                    .events()
                    .schedule(tx, TEXT.event("a")))
        .isInstanceOf(DatabaseException.class);
  }

  @Test
  void isOneTransactionForAllWhoAsk() {
    run(
        app ->
            app.commit(
                () -> {
                  Transaction tx = app.holdfast().transactions().current();
                  app.schedule("a");
                  assertThat(app.holdfast().transactions().current()).isSameAs(tx);
                  assertThat(CurrentTransaction.of(app.dataSource())).isSameAs(tx);
                  app.commit(
                      () -> assertThat(CurrentTransaction.of(app.dataSource())).isSameAs(tx));
                }));
  }

  @Test
  void leasesAreRefusedInATransactionOfSpring() {
    run(
        app ->
            app.commit(
                () ->
                    assertThatThrownBy(
                            () ->
                                app.holdfast()
                                    .leases()
                                    .tryAcquire(LeaseRequest.of("a", Duration.ofMinutes(1))))
                        .isInstanceOf(TransactionStateException.class)));
  }

  @Test
  void aTransactionOfSpringInsideOneOfHoldfastIsRefused() {
    run(
        app -> {
          TransactionTemplate reading = app.template();
          reading.setReadOnly(true);
          app.holdfast()
              .transactions()
              .run(
                  tx -> {
                    assertState(
                        TransactionStateException.Reason.MISMATCH,
                        () -> app.commit(() -> app.schedule("a")));
                    app.schedule("b");
                    reading.executeWithoutResult(
                        status ->
                            assertThat(
                                    TransactionSynchronizationManager
                                        .isCurrentTransactionReadOnly())
                                .isTrue());
                  });
          assertThat(app.stored("a")).isZero();
          assertThat(app.stored("b")).isOne();
          app.commit(() -> app.schedule("a"));
          assertThat(app.stored("a")).isOne();
        });
  }
}
