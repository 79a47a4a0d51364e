package dev.holdfast.torture.cluster;

import dev.holdfast.torture.Options;
import dev.holdfast.torture.history.History;
import dev.holdfast.torture.history.Kind;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Injects faults, in an order that the seed decides: a kind by its weight, a target, a duration,
 * and a pause before the next. Faults overlap where the pause is shorter than the fault; at most
 * one at a time is aimed at each target. A seed repeats the order, not the moments within the
 * program.
 */
final class FaultInjector {
  private final Options options;
  private final List<Node> nodes;
  private final Database database;
  private final History history;
  private final Random random;
  private final AtomicInteger numbers = new AtomicInteger();
  private final Set<String> busy = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "torture-fault");
            thread.setDaemon(true);
            return thread;
          });

  FaultInjector(Options options, List<Node> nodes, Database database, History history) {
    this.options = options;
    this.nodes = nodes;
    this.database = database;
    this.history = history;
    this.random = new Random(options.seed());
  }

  int count() {
    return numbers.get();
  }

  /** Injects faults until a time, and returns when the last has ended. */
  void run(long untilNanos) throws InterruptedException {
    long pause = options.pause().toMillis();
    while (!options.faults().isEmpty()) {
      Thread.sleep((long) (pause * (0.25 + 1.5 * random.nextDouble())));
      if (System.nanoTime() - untilNanos > 0) {
        break;
      }
      next();
      nodes.forEach(node -> node.proxy().giveUp());
    }
    threads.shutdown();
    if (!threads.awaitTermination(5, TimeUnit.MINUTES)) {
      throw new IllegalStateException("a fault has not ended within five minutes");
    }
  }

  private void next() {
    FaultKind kind = kind();
    Node node = node(kind);
    // a number for each, so that what follows does not depend on what was skipped
    double size = random.nextDouble();
    int number = numbers.get() + 1;
    boolean ofDatabase = kind.target() == FaultKind.Target.DATABASE;
    String target = ofDatabase ? "database" : node.name();
    if (!busy.add(target)) {
      return;
    }
    numbers.incrementAndGet();
    threads.execute(
        () -> {
          history.add(Kind.FAULT_BEGIN, number, kind.label(), target);
          try {
            if (ofDatabase) {
              inject(kind, size);
            } else {
              inject(kind, node, size);
            }
          } catch (IOException e) {
            System.out.println("torture: the fault " + kind.label() + " failed: " + e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } finally {
            history.add(Kind.FAULT_END, number, kind.label(), target);
            busy.remove(target);
          }
        });
  }

  private FaultKind kind() {
    int sum = options.faults().stream().mapToInt(FaultKind::weight).sum();
    int chosen = random.nextInt(sum);
    for (FaultKind kind : options.faults()) {
      chosen -= kind.weight();
      if (chosen < 0) {
        return kind;
      }
    }
    throw new IllegalStateException("the weights of the faults do not add up");
  }

  private Node node(FaultKind kind) {
    List<Node> possible =
        kind.target() == FaultKind.Target.WORKER
            ? nodes.stream().filter(Node::isWorker).toList()
            : nodes;
    return possible.get(random.nextInt(possible.size()));
  }

  /** From half to three times the lease. */
  private long leases(double size) {
    return (long) (options.lease().toMillis() * (0.5 + 2.5 * size));
  }

  private void inject(FaultKind kind, Node node, double size)
      throws IOException, InterruptedException {
    FaultProxy proxy = node.proxy();
    switch (kind) {
      case KILL -> {
        node.kill();
        Thread.sleep((long) (2000 * size));
        node.start();
      }
      case STOP -> {
        node.signal("STOP");
        Thread.sleep(leases(size));
        node.signal("CONT");
      }
      case BLACKHOLE -> {
        proxy.blackhole();
        Thread.sleep(leases(size));
        proxy.hear();
      }
      case LOCK_CUT -> {
        proxy.cutLocks(1);
        Thread.sleep(leases(size));
        proxy.cutLocks(0);
      }
      case CUT -> proxy.cut();
      case RESET -> proxy.reset();
      case STALL -> {
        long millis = leases(size);
        proxy.stallUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
        Thread.sleep(millis);
      }
      case LOST_COMMIT -> {
        proxy.loseCommits(1 + (int) (10 * size));
        Thread.sleep(1000);
        proxy.loseCommits(0);
      }
      case LOST_ANSWER -> {
        proxy.loseAnswers(1 + (int) (10 * size));
        Thread.sleep(1000);
        proxy.loseAnswers(0);
      }
      case POOL -> {
        long millis = leases(size);
        node.tell("hold " + millis);
        Thread.sleep(millis);
      }
      default -> throw new IllegalStateException(kind + " is not of a node");
    }
  }

  private void inject(FaultKind kind, double size) throws IOException, InterruptedException {
    switch (kind) {
      case DATABASE_KILL -> {
        if (size < 0.5) {
          database.killAll();
        } else {
          database.killPostmaster();
        }
        Thread.sleep((long) (2000 * size));
        database.start();
      }
      case DATABASE_IMMEDIATE -> {
        database.stopImmediately();
        Thread.sleep((long) (2000 * size));
        database.start();
      }
      case DATABASE_FREEZE -> {
        database.freeze();
        Thread.sleep(leases(size));
        database.thaw();
      }
      case TERMINATE -> {
        for (int round = 0; round < 3; round++) {
          database.terminateSessions();
          Thread.sleep(300);
        }
      }
      default -> throw new IllegalStateException(kind + " is not of the database");
    }
  }
}
