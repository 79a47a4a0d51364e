package dev.holdfast.testing.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.job.Job;
import dev.holdfast.job.JobRunResult;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Holders of leases in processes of their own, which die, are suspended, or want the same. */
abstract class LeaseFaults {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int PROCESSES = 4;
  private static final int THREADS = 8;

  private final TestSchema schema;
  private final Holdfast holdfast;

  LeaseFaults(TestDatabase database) {
    schema = database.newSchema();
    holdfast = prepared(schema);
  }

  private static Holdfast prepared(TestSchema schema) {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute(
        "create table effects (token bigint)",
        "create table judge (token bigint, turns bigint)",
        "insert into judge values (0, 0)");
    return Holdfast.create(schema.dataSource());
  }

  @AfterEach
  void close() {
    schema.close();
  }

  /** Takes over, and writes under the fence, as the one that is gone would have. */
  private Lease takeOver() throws SQLException {
    Lease lease =
        holdfast
            .leases()
            .acquire(LeaseRequest.of(LeaseProcess.NAME, Duration.ofMinutes(10)).waitTimeout(LIMIT));
    holdfast
        .transactions()
        .run(
            tx -> {
              holdfast.fence().check(tx, LeaseProcess.NAME, lease.token());
              LeaseProcess.effect(tx.connection(), lease.token());
            });
    return lease;
  }

  private static long tokenOf(String said) {
    assertThat(said).startsWith("held ");
    return Long.parseLong(said.substring(5));
  }

  @Test
  void fenceRejectsSuspendedHolder() throws Exception {
    try (ForkedHolder suspended = ForkedHolder.start(schema)) {
      suspended.tell("hold");
      long stale = tokenOf(suspended.says());
      suspended.signal("STOP");

      Lease lease = takeOver();
      suspended.signal("CONT");
      suspended.tell("write");

      List<String> said = List.of(suspended.says(), suspended.says(), suspended.says());
      assertThat(said).containsExactlyInAnyOrder("lost", "refused", "LOST");
      assertThat(lease.token()).isGreaterThan(stale);
      assertThat(schema.count("select count(*) from effects")).isEqualTo(1);
      assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    }
  }

  @Test
  void leaseOfKilledHolderExpires() throws Exception {
    long token;
    try (ForkedHolder killed = ForkedHolder.start(schema)) {
      killed.tell("hold");
      token = tokenOf(killed.says());
    }

    assertThat(takeOver().token()).isGreaterThan(token);
  }

  @Test
  void jobOfKilledProcessRunsElsewhere() throws Exception {
    Job job = holdfast.jobs().job(LeaseProcess.NAME, LeaseProcess.LEASE, Duration.ofMillis(100));
    AtomicLong token = new AtomicLong();
    long killed;
    try (ForkedHolder process = ForkedHolder.start(schema)) {
      process.tell("job");
      killed = tokenOf(process.says());
      assertThat(job.run(run -> {})).isInstanceOf(JobRunResult.AlreadyRunning.class);
    }

    long end = System.nanoTime() + LIMIT.toNanos();
    while (!(job.run(run -> token.set(run.token())) instanceof JobRunResult.Executed)) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }

    assertThat(token.get()).isGreaterThan(killed);
  }

  @Test
  void aHolderThatLivesOnMayWrite() throws Exception {
    try (ForkedHolder holder = ForkedHolder.start(schema)) {
      holder.tell("hold");
      tokenOf(holder.says());
      holder.tell("write");

      assertThat(holder.says()).isEqualTo("written");
      assertThat(holder.says()).isEqualTo("RELEASED");
    }
  }

  /** ShedLock, Spring Integration: two instances whose clocks differ both hold the lock. */
  @Test
  void clockJumpDoesNotAffectLease() throws Exception {
    try (MovedClock clock = new MovedClock();
        ForkedHolder moved = ForkedHolder.start(schema, clock.environment())) {
      moved.tell("watch");
      tokenOf(moved.says());
      assertThat(asked(moved, "run")).isEqualTo("Executed");
      for (Duration apart : List.of(Duration.ofHours(1), Duration.ofHours(-1))) {
        clock.move(apart);
        long there = Long.parseLong(asked(moved, "time"));
        assertThat(Duration.ofMillis(there - System.currentTimeMillis()))
            .as("its clock")
            .isBetween(apart.minusMinutes(10), apart.plusMinutes(10));

        holdfast.leases().acquire("other", LeaseProcess.LEASE.dividedBy(2));
        assertThat(asked(moved, "wait")).isEqualTo("waited");
        // and so long that it must have been renewed
        long end = System.nanoTime() + LeaseProcess.LEASE.toNanos() / 2;
        while (end - System.nanoTime() > 0) {
          assertThat(holdfast.leases().tryAcquire(LeaseProcess.NAME, LIMIT)).isEmpty();
          LockSupport.parkNanos(50_000_000);
        }
        assertThat(asked(moved, "look")).isEqualTo("true true");
        assertThat(asked(moved, "run")).isEqualTo("TooSoon");
      }
      assertThat(asked(moved, "release")).isEqualTo("RELEASED");
      assertThat(holdfast.leases().tryAcquire(LeaseProcess.NAME, LIMIT)).isPresent();
    }
  }

  private static String asked(ForkedHolder process, String words) throws IOException {
    process.tell(words);
    return process.says();
  }

  /** 10,000 hand-overs among 32 threads in 4 processes, judged by their tokens. */
  @Test
  void oneOfManyThreadsHoldsLease() throws Exception {
    int each = Integer.getInteger("holdfast.test.handovers", 10_000) / PROCESSES / THREADS;
    List<ForkedHolder> all = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        all.add(ForkedHolder.start(schema));
      }
      for (ForkedHolder one : all) {
        one.tell("storm " + THREADS + " " + each);
      }
      for (ForkedHolder one : all) {
        assertThat(one.says()).isEqualTo("alone");
      }
    } finally {
      for (ForkedHolder one : all) {
        closed(one);
      }
    }
    assertThat(schema.count("select turns from judge"))
        .isEqualTo((long) each * PROCESSES * THREADS);
  }

  private static void closed(ForkedHolder holder) throws IOException {
    holder.close();
  }
}
