package dev.holdfast.web.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.web.event.GroupCommit.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that come at the same time are worked on together. */
class GroupCommitTest {
  private final ExecutorService clients = Executors.newCachedThreadPool();
  private final List<List<Integer>> groups = new CopyOnWriteArrayList<>();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CompletableFuture<Void> goOn = new CompletableFuture<>();

  @AfterEach
  void stop() {
    goOn.complete(null);
    clients.shutdownNow();
  }

  /** The first group waits until it may go on. */
  private GroupCommit<Integer, Integer> group(int maxWaiters, Duration waitTimeout) {
    return new GroupCommit<>(
        maxWaiters,
        3,
        waitTimeout,
        requests -> {
          groups.add(List.copyOf(requests));
          begun.countDown();
          goOn.join();
          return requests.stream()
              .map(
                  number ->
                      number < 0
                          ? Result.<Integer>failed(new IllegalStateException("bad"))
                          : Result.of(number * 2))
              .toList();
        });
  }

  @Test
  void singleCommitsAtOnceOthersInGroups() throws Exception {
    GroupCommit<Integer, Integer> group = group(100, Duration.ofMinutes(1));
    List<Future<Integer>> answers = new ArrayList<>();
    answers.add(clients.submit(() -> group.call(0)));
    begun.await();
    for (int i = 1; i <= 7; i++) {
      int number = i;
      answers.add(clients.submit(() -> group.call(number)));
    }
    while (group.queueSize() < 7) {
      Thread.onSpinWait();
    }
    goOn.complete(null);
    for (int i = 0; i <= 7; i++) {
      assertThat(answers.get(i).get()).isEqualTo(i * 2);
    }
    assertThat(groups).map(List::size).containsExactly(1, 3, 3, 1);
    assertThat(group.call(21)).isEqualTo(42);
  }

  @Test
  void aBadOneDoesNotSpoilTheOthers() {
    goOn.complete(null);
    GroupCommit<Integer, Integer> group = group(1, Duration.ofMinutes(1));
    assertThatThrownBy(() -> group.call(-1)).isInstanceOf(IllegalStateException.class);
    assertThat(group.call(1)).isEqualTo(2);
  }

  @Test
  void rejectsIfQueueIsFull() throws Exception {
    GroupCommit<Integer, Integer> group = group(1, Duration.ofMinutes(1));
    Future<Integer> first = clients.submit(() -> group.call(1));
    begun.await();
    Future<Integer> second = clients.submit(() -> group.call(2));
    while (group.queueSize() < 1) {
      Thread.onSpinWait();
    }
    assertThatThrownBy(() -> group.call(3)).isInstanceOf(GroupCommit.NotStartedException.class);
    goOn.complete(null);
    assertThat(first.get()).isEqualTo(2);
    assertThat(second.get()).isEqualTo(4);
  }

  @Test
  void rejectsAfterWaitTimeout() throws Exception {
    GroupCommit<Integer, Integer> group = group(10, Duration.ofMillis(20));
    Future<Integer> first = clients.submit(() -> group.call(1));
    begun.await();
    assertThatThrownBy(() -> group.call(2)).isInstanceOf(GroupCommit.NotStartedException.class);
    goOn.complete(null);
    assertThat(first.get()).isEqualTo(2);
    assertThat(groups).containsExactly(List.of(1));
    assertThat(group.call(3)).isEqualTo(6);
  }
}
