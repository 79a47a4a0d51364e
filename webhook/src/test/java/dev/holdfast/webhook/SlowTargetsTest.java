package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Slow ones do not hold up the others. */
class SlowTargetsTest extends SenderTest {
  private static final int SLOW = 1000;

  @Test
  void aThousandSlowTargetsDoNotHoldUpAFastOne() throws IOException, InterruptedException {
    CountDownLatch connected = new CountDownLatch(SLOW);
    try (Receiver slow = Receiver.doing(connection -> connected.countDown());
        Receiver fast = Receiver.answering(Receiver.OK)) {
      List<CompletableFuture<Attempt>> waiting = new ArrayList<>();
      for (int i = 0; i < SLOW; i++) {
        String url = "http://slow-" + i + ".test:" + slow.port() + "/";
        waiting.add(sender().send(call(url).timeout(Duration.ofMinutes(1)), delivery()));
      }
      assertThat(connected.await(15, TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < 100; i++) {
        assertThat(send(fast.url()).succeeded()).isTrue();
      }
      assertThat(waiting).noneMatch(CompletableFuture::isDone);
      sender().close();
      CompletableFuture.allOf(waiting.toArray(CompletableFuture<?>[]::new))
          .orTimeout(10, TimeUnit.SECONDS)
          .join();
      assertThat(waiting).allMatch(attempt -> !attempt.join().succeeded());
    }
  }

  @Test
  void manyCallsAtOnceAllArriveOnce() throws IOException {
    try (Receiver receiver = Receiver.answering(Receiver.OK)) {
      List<CompletableFuture<Attempt>> sent = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        sent.add(sender().send(call(receiver.url()), new Delivery("evt_" + i, 1, 1, null)));
      }
      for (CompletableFuture<Attempt> one : sent) {
        assertThat(one.orTimeout(20, TimeUnit.SECONDS).join().error()).isEmpty();
      }
      assertThat(receiver.requests().stream().map(request -> request.header("webhook-id")))
          .hasSize(500)
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void unresolvableNamesBlockOnlyTheirCalls() throws IOException {
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger lookups = new AtomicInteger();
    sender(
        settings()
            .resolver(
                name -> {
                  if (name.equals("hanging.test")) {
                    lookups.incrementAndGet();
                    awaitQuietly(never);
                  }
                  return Addresses.of("127.0.0.1");
                }));
    try (Receiver fast = Receiver.answering(Receiver.OK)) {
      List<CompletableFuture<Attempt>> waiting = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        waiting.add(sender().send(call("http://hanging.test/").timeout(SHORT), delivery()));
      }
      assertThat(send("http://fast.test:" + fast.port() + "/").succeeded()).isTrue();
      for (CompletableFuture<Attempt> one : waiting) {
        assertRetry(
            one.orTimeout(20, TimeUnit.SECONDS).join(),
            "the name hanging.test did not resolve within 2 s");
      }
      assertThat(lookups).hasValue(1);
    } finally {
      never.countDown();
    }
  }

  @Test
  void aConnectionThatComesTooLateIsNotLost() throws IOException {
    sender(settings().maxConnections(1));
    try (Receiver slow = Receiver.doing(Receiver.Connection::read);
        Receiver fast = Receiver.answering(Receiver.OK)) {
      CompletableFuture<Attempt> holds = sender().send(call(slow.url()).timeout(SHORT), delivery());
      CompletableFuture<Attempt> waits =
          sender().send(call(fast.url()).timeout(Duration.ofMillis(50)), delivery());
      assertRetry(waits.join(), "no connection within 0.05 s");
      // whoever comes after it gets the only connection, which it was given and no longer wants
      assertThat(holds.join().succeeded()).isFalse();
      assertThat(send(fast.url()).succeeded()).isTrue();
      assertThat(fast.requests()).hasSize(1);
    }
  }

  @Test
  void moreNamesThanThreadsAreAllResolved() {
    HostLookups lookups = new HostLookups(name -> Addresses.of("127.0.0.1"), 2);
    CompletableFuture<?>[] all = new CompletableFuture<?>[1000];
    for (int i = 0; i < all.length; i++) {
      all[i] = lookups.resolve("n" + i + ".test");
    }
    CompletableFuture.allOf(all).orTimeout(10, TimeUnit.SECONDS).join();
    lookups.close();
    assertThat(lookups.resolve("late.test")).isCompletedExceptionally();
  }

  @Test
  void waitsForFreeConnection() throws IOException {
    sender(settings().maxConnections(1));
    try (Receiver slow = Receiver.doing(Receiver.Connection::read);
        Receiver fast = Receiver.answering(Receiver.OK)) {
      CompletableFuture<Attempt> first = sender().send(call(slow.url()).timeout(SHORT), delivery());
      Attempt second = send(fast.url());
      assertThat(second.succeeded()).isTrue();
      assertThat(first.join().succeeded()).isFalse();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }
}
