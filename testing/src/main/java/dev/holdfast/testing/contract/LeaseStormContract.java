package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Many who want the same lease, judged by its tokens. */
public abstract class LeaseStormContract extends LeaseTests {
  private static final int THREADS = 8;
  private static final int EACH = 40;
  private static final long STAY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final int VIRTUAL_THREADS = 200;
  private static final long LONG_STAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int ROUNDS = 10;

  /** Of all rounds: where releases are offered it is 20 or so, where they are not hundreds. */
  private static final int MAX_TURNS = 70;

  protected LeaseStormContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  private List<Leases> processes() {
    return Stream.generate(() -> Holdfast.createLeases(place.open())).limit(2).toList();
  }

  /** Tokens in the order in which their holders were inside; whose they were; and who is inside. */
  private static final class Judge {
    private final List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
    private final List<Integer> processes = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger inside = new AtomicInteger();

    void enter(Lease lease, int process) {
      assertThat(inside.incrementAndGet()).isEqualTo(1);
      tokens.add(lease.token());
      processes.add(process);
      inside.decrementAndGet();
    }
  }

  @Test
  void tokensAreInTheOrderOfTheHandOvers() {
    Judge judge = new Judge();
    List<Leases> processes = processes();
    ConcurrentActors.run(
            Duration.ofMinutes(2),
            THREADS,
            index -> {
              for (int i = 0; i < EACH; i++) {
                Lease lease =
                    processes.get(index % 2).acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT));
                judge.enter(lease, index % 2);
                assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
              }
              return index;
            })
        .resultsOrThrow();

    assertThat(judge.tokens).hasSize(THREADS * EACH).doesNotHaveDuplicates().isSorted();
  }

  /**
   * Each stays for so long that others of its process get into the line behind it, and that a
   * process which asks only from time to time has asked long before the other has had its turns.
   */
  @Test
  void neitherProcessStarves() {
    Judge judge = new Judge();
    List<Leases> processes = processes();
    ConcurrentActors.run(
            Duration.ofMinutes(2),
            THREADS,
            index -> {
              for (int i = 0; i < EACH; i++) {
                try (Lease lease =
                    processes
                        .get(index % 2)
                        .acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT))) {
                  judge.enter(lease, index % 2);
                  stay(STAY_NANOS);
                }
              }
              return index;
            })
        .resultsOrThrow();

    assertThat(maxRun(judge.processes)).as("%s", judge.processes).isLessThan(THREADS * EACH / 2);
  }

  /**
   * Who waits elsewhere sees the moment between two turns only by chance where nobody is told of
   * it, however often it is there.
   */
  @Test
  void busyProcessDoesNotStarveOther() {
    List<Leases> processes = processes();
    List<Integer> turns = new ArrayList<>();
    for (int round = 0; round < ROUNDS && sum(turns) < MAX_TURNS; round++) {
      turns.add(turnsBeforeAnother(processes, "x" + round));
    }
    assertThat(sum(turns)).as("%s", turns).isLessThan(MAX_TURNS);
  }

  private static int sum(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).sum();
  }

  /** How often the first process has it again after the second one has come. */
  private static int turnsBeforeAnother(List<Leases> processes, String name) {
    CountDownLatch held = new CountDownLatch(1);
    AtomicBoolean had = new AtomicBoolean();
    Callable<Integer> again =
        () -> {
          int turns = -1;
          while (!had.get() && turns < MAX_TURNS) {
            try (Lease lease =
                processes.get(0).acquire(LeaseRequest.of(name, LONG).waitTimeout(LIMIT))) {
              assertThat(lease.token()).isPositive();
              held.countDown();
              stay(LONG_STAY_NANOS);
            }
            turns++;
          }
          return turns;
        };
    Callable<Integer> another =
        () -> {
          held.await();
          processes.get(1).acquire(LeaseRequest.of(name, LONG).waitTimeout(LIMIT)).close();
          had.set(true);
          return 0;
        };
    return ConcurrentActors.run(Duration.ofMinutes(2), List.of(again, another))
        .resultsOrThrow()
        .get(0);
  }

  private static void stay(long nanos) {
    long end = System.nanoTime() + nanos;
    // whoever was woken once too often does not park the first time
    while (end - System.nanoTime() > 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  private static int maxRun(List<Integer> processes) {
    int longest = 0;
    int run = 0;
    for (int i = 0; i < processes.size(); i++) {
      run = i > 0 && processes.get(i).equals(processes.get(i - 1)) ? run + 1 : 1;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  @Test
  void fairLeaseServesEachWaiter() {
    Judge judge = new Judge();
    List<Leases> processes = processes();
    ConcurrentActors.run(
            Duration.ofMinutes(2),
            4,
            index -> {
              for (int i = 0; i < 8; i++) {
                try (Lease lease =
                    processes
                        .get(index % 2)
                        .acquire(LeaseRequest.of("x", LONG).fair().waitTimeout(LIMIT))) {
                  judge.enter(lease, index);
                }
              }
              return index;
            })
        .resultsOrThrow();

    assertThat(judge.tokens).hasSize(32).doesNotHaveDuplicates().isSorted();
    assertThat(maxRun(whileAllWanted(judge.processes)))
        .as("%s", judge.processes)
        .isLessThanOrEqualTo(2);
  }

  /** From when all have come to when the first has gone. */
  private static List<Integer> whileAllWanted(List<Integer> turns) {
    int from = 0;
    int to = turns.size();
    for (int who = 0; who < 4; who++) {
      from = Math.max(from, turns.indexOf(who));
      to = Math.min(to, turns.lastIndexOf(who));
    }
    return from < to ? turns.subList(from, to) : List.of();
  }

  @Test
  void cancelledWaitLeavesNothing() {
    List<Leases> processes = processes();
    AtomicInteger inside = new AtomicInteger();
    ConcurrentActors.run(
            Duration.ofMinutes(2),
            THREADS,
            index -> {
              Random random = new Random(index);
              for (int i = 0; i < EACH; i++) {
                try (Lease lease =
                    processes
                        .get(index % 2)
                        .acquire(
                            LeaseRequest.of("x", LONG)
                                .waitTimeout(Duration.ofMillis(1 + random.nextInt(8))))) {
                  assertThat(lease.token()).isPositive();
                  assertThat(inside.incrementAndGet()).isEqualTo(1);
                  inside.decrementAndGet();
                } catch (dev.holdfast.lease.LeaseNotAcquiredException e) {
                  assertThat(e.request().key().name()).isEqualTo("x");
                }
              }
              return index;
            })
        .resultsOrThrow();

    processes.get(0).acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT)).close();
  }

  /** redisson#6662; were those who wait to keep their carriers, the holder could not go on. */
  @Test
  void virtualThreadsDoNotPin() throws Exception {
    Judge judge = new Judge();
    List<Leases> processes = processes();
    ExecutorService executor = virtualThreads();
    // classes are loaded by then
    processes.forEach(
        process -> process.acquire(LeaseRequest.of("x", LONG).waitTimeout(LIMIT)).close());
    try (Pinning pinning = new Pinning()) {
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < VIRTUAL_THREADS; i++) {
        int index = i;
        Callable<Integer> task =
            () -> {
              Leases mine = processes.get(index % 2);
              LeaseRequest request = LeaseRequest.of("x", LONG).waitTimeout(LIMIT);
              try (Lease lease = mine.acquire(index % 5 == 0 ? request.reentrant() : request)) {
                judge.enter(lease, index % 2);
                assertThat(lease.renew()).isEqualTo(Lease.RenewResult.RENEWED);
              }
              return index;
            };
        all.add(executor.submit(task));
      }
      for (Future<Integer> one : all) {
        one.get();
      }
      if (Runtime.version().feature() >= 24) {
        assertThat(pinning.ours()).isEmpty();
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(judge.tokens).hasSize(VIRTUAL_THREADS).doesNotHaveDuplicates().isSorted();
    assertThat(judge.processes.stream().collect(Collectors.toSet())).hasSize(2);
  }

  private static ExecutorService virtualThreads() throws ReflectiveOperationException {
    Assumptions.assumeTrue(Runtime.version().feature() >= 21, "there are no virtual threads");
    return (ExecutorService)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }
}
