package dev.holdfast.testing;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The thread of one actor, and what became of it. */
final class ActorThread<T extends @Nullable Object> extends Thread {

  private sealed interface End<T extends @Nullable Object> {
    record Returned<T extends @Nullable Object>(T result) implements End<T> {}

    record Threw<T extends @Nullable Object>(Throwable failure) implements End<T> {}
  }

  private final Callable<T> actor;
  private final CountDownLatch ready;
  private final CountDownLatch gate;
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile @Nullable End<T> end;

  ActorThread(int index, Callable<T> actor, CountDownLatch ready, CountDownLatch gate) {
    super("actor-" + index);
    this.actor = actor;
    this.ready = ready;
    this.gate = gate;
    setDaemon(true);
  }

  @Override
  public void run() {
    try {
      ready.countDown();
      gate.await();
      end = new End.Returned<>(actor.call());
    } catch (Throwable e) {
      end = new End.Threw<>(e);
    } finally {
      done.countDown();
    }
  }

  boolean awaitEnd(long nanoTimeDeadline) throws InterruptedException {
    return done.await(nanoTimeDeadline - System.nanoTime(), NANOSECONDS);
  }

  boolean ended() {
    return done.getCount() == 0;
  }

  /** Where the thread stands, and which lock it waits for. */
  String describe() {
    ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(getId(), Integer.MAX_VALUE);
    if (info == null) {
      return getName() + " has just ended";
    }
    StringBuilder text = new StringBuilder(getName()).append(' ').append(info.getThreadState());
    if (info.getLockName() != null) {
      text.append(" on ").append(info.getLockName());
    }
    if (info.getLockOwnerName() != null) {
      text.append(" held by ").append(info.getLockOwnerName());
    }
    for (StackTraceElement frame : info.getStackTrace()) {
      text.append(System.lineSeparator()).append("    at ").append(frame);
    }
    return text.toString();
  }

  static <T extends @Nullable Object> ActorResults<T> outcomes(List<ActorThread<T>> threads) {
    List<T> results = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (ActorThread<T> thread : threads) {
      End<T> end = thread.end;
      if (end instanceof End.Returned<T> returned) {
        results.add(returned.result());
      } else if (end instanceof End.Threw<T> threw) {
        failures.add(threw.failure());
      }
    }
    return new ActorResults<>(results, failures);
  }
}
