package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Workers that claim and finish tasks, some of which die, some of which are so slow that they look
 * dead, while sweepers bring back what looks dead. However the sweepers do it, each task is
 * finished once, and what is finished stays so.
 *
 * <p>The slow ones finish when the first sweeper is at its most delicate moment.
 */
final class TaskStorm {
  static final int TASKS = 200;
  static final int SLOW = 8;
  static final int WORKERS = 4;
  static final int SWEEPERS = 4;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Brings back stuck tasks; answers how many. */
  @FunctionalInterface
  interface Sweeper {
    int sweep(TaskStorm storm) throws Exception;
  }

  private final TestSchema schema;
  private final Transactions transactions;
  private final CountDownLatch delicateMoment = new CountDownLatch(1);
  private final CountDownLatch slowAreThrough = new CountDownLatch(SLOW);
  private final AtomicIntegerArray finishes = new AtomicIntegerArray(TASKS + 1);
  private final AtomicBoolean broken = new AtomicBoolean();
  private final AtomicInteger deaths = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger recovered = new AtomicInteger();

  TaskStorm(TestSchema schema, Transactions transactions) {
    this.schema = schema;
    this.transactions = transactions.isolation(Isolation.READ_COMMITTED);
  }

  /** A sweeper says that if ever a worker should finish, then now. */
  void delicateMoment() {
    delicateMoment.countDown();
  }

  /** Gives the slow workers time to finish, if nothing keeps them from it. */
  boolean letSlowWorkersTry() throws InterruptedException {
    return slowAreThrough.await(500, TimeUnit.MILLISECONDS);
  }

  void awaitSlowWorkers() throws InterruptedException {
    assertThat(slowAreThrough.await(30, TimeUnit.SECONDS)).isTrue();
  }

  void run(Sweeper sweeper) {
    List<Callable<Integer>> actors = new ArrayList<>();
    for (int id = 1; id <= SLOW; id++) {
      int slow = id;
      actors.add(() -> finishLate(slow));
    }
    for (int worker = 0; worker < WORKERS; worker++) {
      actors.add(this::work);
    }
    for (int index = 0; index < SWEEPERS; index++) {
      actors.add(() -> sweepUntilTheEnd(sweeper));
    }
    ConcurrentActors.run(LIMIT, actors.stream().map(this::watched).toList()).resultsOrThrow();
    for (int id = 1; id <= TASKS; id++) {
      assertThat(finishes.get(id)).as("how often task %d was finished", id).isEqualTo(1);
    }
    assertThat(schema.count("select count(*) from tasks where status = 'DONE'")).isEqualTo(TASKS);
    assertThat(recovered.get())
        .as("recoveries, of the dead and of the slow that lost")
        .isEqualTo(deaths.get() + lost.get());
  }

  /** With whoever fails the storm is over: without workers it would never end by itself. */
  private Callable<Integer> watched(Callable<Integer> actor) {
    return () -> {
      try {
        return actor.call();
      } catch (Throwable e) {
        broken.set(true);
        throw e;
      }
    };
  }

  private int finishLate(long id) throws InterruptedException {
    assertThat(delicateMoment.await(30, TimeUnit.SECONDS)).isTrue();
    try {
      if (!finish(id, 5)) {
        lost.incrementAndGet();
      }
    } finally {
      slowAreThrough.countDown();
    }
    return 1;
  }

  private int work() {
    int worked = 0;
    while (!isOver()) {
      for (Map<String, @Nullable Object> ready :
          schema.query("select id, version from tasks where status = 'READY'")) {
        work(number(ready, "id"), number(ready, "version"));
        worked++;
      }
    }
    return worked;
  }

  private void work(long id, long version) {
    if (!applied(task(id, version, "EXECUTING").setNow("started_at"))) {
      return;
    }
    // every fifth task kills its first worker
    if (version < 7 && id % 5 == 0) {
      LocalDateTime longAgo = LocalDateTime.parse("2020-01-01T00:00:00");
      deaths.incrementAndGet();
      assertThat(applied(task(id, version + 1, "EXECUTING").set("started_at", longAgo))).isTrue();
    } else {
      assertThat(finish(id, version + 1)).as("a live worker keeps its task").isTrue();
    }
  }

  private boolean finish(long id, long version) {
    boolean finished = applied(task(id, version, "DONE"));
    if (finished) {
      finishes.incrementAndGet(Math.toIntExact(id));
    }
    return finished;
  }

  private static Update task(long id, long version, String status) {
    return Update.table("tasks").set("status", status).where("id", id).version(version);
  }

  private boolean applied(Update update) {
    return transactions.retrying(20).<UpdateResult, RuntimeException>call(update::apply)
        instanceof UpdateResult.Applied;
  }

  private int sweepUntilTheEnd(Sweeper sweeper) throws Exception {
    int sweeps = 0;
    while (!isOver()) {
      recovered.addAndGet(sweeper.sweep(this));
      sweeps++;
    }
    return sweeps;
  }

  private boolean isOver() {
    return broken.get() || schema.count("select count(*) from tasks where status <> 'DONE'") == 0;
  }

  private static long number(Map<String, @Nullable Object> row, String column) {
    return row.get(column) instanceof Number number ? number.longValue() : -1;
  }
}
