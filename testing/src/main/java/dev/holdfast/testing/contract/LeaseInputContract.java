package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.LeaseLostException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseGroup;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.Leases;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Odd names, bad times and calls at the wrong moment: each is refused, or works as any other. */
public abstract class LeaseInputContract extends LeaseTests {
  private static final Duration ENDLESS = Duration.ofSeconds(Long.MAX_VALUE);

  /** No two of them are the same lease, however alike they look. */
  private static final List<String> ODD =
      List.of(
          " ",
          "  ",
          "\t",
          "\n",
          "a",
          "A",
          "a ",
          "a\r\n",
          "\u00e9", // é as one character, as two, and as it is in a wider form
          "e\u0301",
          "\uff45\u0301",
          "\u212b", // these three are Å for whoever normalises
          "\u00c5",
          "A\u030a",
          "\u05e9\u05dc\u05d5\u05dd", // from right to left
          "\u202eabc",
          "abc\u202c",
          "\ud83d\udc69\u200d\ud83d\ude80", // an astronaut, and one of another skin
          "\ud83d\udc69\ud83c\udffd\u200d\ud83d\ude80",
          "'; drop table holdfast_lease; --",
          "\"\\'`",
          "\\",
          "\\0",
          "%",
          "_",
          "!",
          "!%",
          "*",
          "?",
          "[a]",
          "${a}",
          "{now}",
          "}{",
          "|",
          "R0||a",
          "null",
          "0",
          "00",
          "\u0001\u001f\u007f",
          "\ud800\udc00",
          "\ue000",
          "\uffff",
          "\udbff\udfff",
          "x".repeat(LeaseKey.MAX_NAME_LENGTH - 1),
          "x".repeat(LeaseKey.MAX_NAME_LENGTH),
          "\u20ac".repeat(LeaseKey.MAX_NAME_LENGTH),
          "\ud83d\ude00".repeat(LeaseKey.MAX_NAME_LENGTH / 2));

  private Leases leases;
  private Leases elsewhere;

  @SuppressWarnings("NullAway.Init")
  protected LeaseInputContract(Supplier<LeaseStoreFixture> places) {
    super(places);
  }

  @BeforeEach
  void makeLeases() {
    leases = Holdfast.createLeases(store);
    elsewhere = Holdfast.createLeases(place.open());
  }

  @Test
  void everyNameIsALeaseOfItsOwn() {
    List<Lease> held = new ArrayList<>();
    for (String name : ODD) {
      held.add(leases.tryAcquire(name, LONG).orElseThrow());
      held.add(leases.tryAcquire(LeaseRequest.write(name, LONG)).orElseThrow());
      held.add(leases.tryAcquire(LeaseRequest.permits(name, 1, 1, LONG)).orElseThrow());
    }
    for (String name : ODD) {
      assertThat(elsewhere.tryAcquire(name, LONG)).isEmpty();
      assertThat(elsewhere.tryAcquire(LeaseRequest.read(name, LONG))).isEmpty();
      assertThat(elsewhere.tryAcquire(LeaseRequest.permits(name, 1, 1, LONG))).isEmpty();
    }
    for (Lease lease : held) {
      assertThat(elsewhere.find(lease.key()).orElseThrow().token()).isEqualTo(lease.token());
      assertThat(lease.renew()).isEqualTo(Lease.RenewResult.RENEWED);
      assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    }
  }

  @Test
  void everyNameCanBeWaitedForElsewhere() {
    List<String> some = List.of("|", "R0||a", "*", "\n", "'", "\udbff\udfff", ODD.get(45));
    for (String name : some) {
      Lease held = elsewhere.acquire(name, LONG);
      ConcurrentActors.run(
              List.<Callable<Boolean>>of(
                  () -> {
                    leases.acquire(LeaseRequest.of(name, LONG).waitTimeout(LIMIT)).close();
                    return true;
                  },
                  () -> {
                    await(
                        "it must be waited for",
                        () -> !store.find(held.key()).orElseThrow().waiters().isEmpty());
                    held.close();
                    return true;
                  }))
          .resultsOrThrow();
    }
  }

  @Test
  void aListInPagesHasEveryNameOnce() {
    List<LeaseKey> held = new ArrayList<>();
    for (String name : ODD) {
      held.add(leases.acquire(name, LONG).key());
    }
    held.add(leases.acquire(LeaseRequest.read("a", LONG).waitTimeout(LIMIT)).key());
    held.add(leases.acquire(LeaseRequest.permits("a", 1, 1, LONG).waitTimeout(LIMIT)).key());

    List<LeaseKey> listed = new ArrayList<>();
    LeaseKey after = null;
    while (true) {
      List<LeaseRecord> page = leases.list("", after, 7);
      if (page.isEmpty()) {
        break;
      }
      page.forEach(record -> listed.add(record.key()));
      after = page.get(page.size() - 1).key();
    }

    assertThat(listed).containsExactlyInAnyOrderElementsOf(held);
    for (String name : ODD) {
      assertThat(leases.list(name, null, 100))
          .as("what begins with '%s'", name)
          .extracting(record -> record.key().name())
          .contains(name)
          .allSatisfy(found -> assertThat(found).startsWith(name));
    }
  }

  @Test
  void aNameThatCannotBeIsRefused() {
    for (LeaseKey.Kind kind : LeaseKey.Kind.values()) {
      assertRefused(() -> new LeaseKey(kind, ""), "1 to 300 characters, had 0");
      assertRefused(() -> new LeaseKey(kind, "x".repeat(301)), "had 301");
      assertRefused(() -> new LeaseKey(kind, "\u20ac".repeat(301)), "had 301");
      assertRefused(() -> new LeaseKey(kind, "x".repeat(10_000_000)), "had 10000000");
      assertRefused(() -> new LeaseKey(kind, "a\u0000"), "U+0000");
      assertRefused(() -> new LeaseKey(kind, "\udc00a"), "surrogate");
      assertRefused(() -> new LeaseKey(kind, "a\ud800"), "surrogate");
      assertRefused(() -> new LeaseKey(kind, nothing()), "must not be null");
    }
    assertRefused(() -> new LeaseKey(nothing(), "a"), "must not be null");
    assertRefused(() -> leases.acquireAll(requests(List.of("a", ""), LONG, LIMIT)), "had 0");
    assertRefused(() -> leases.list("a\u0000", null, 1), "U+0000");
    assertRefused(() -> leases.list("x".repeat(301), null, 1), "had 301");
    assertThat(leases.list("", null, 10)).as("nothing was left behind").isEmpty();
  }

  @Test
  void aTimeThatCannotBeIsRefused() {
    List<Duration> bad =
        List.of(
            Duration.ZERO,
            Duration.ofNanos(1),
            Duration.ofMillis(99),
            Duration.ofSeconds(-1),
            Duration.ofDays(7).plusNanos(1),
            ENDLESS,
            Duration.ofSeconds(Long.MIN_VALUE));
    for (Duration duration : bad) {
      String was = "was " + duration;
      assertRefused(() -> leases.tryAcquire("x", duration), was);
      assertRefused(() -> leases.acquire("x", duration), was);
      assertRefused(
          () -> leases.acquire(LeaseRequest.of("x", duration).fair().waitTimeout(LIMIT)), was);
      assertRefused(() -> leases.acquire(LeaseRequest.read("x", duration).waitTimeout(LIMIT)), was);
      assertRefused(() -> leases.tryAcquireAll(requests(List.of("x"), duration)), was);
      assertRefused(
          () -> leases.call(LeaseRequest.of("x", duration).waitTimeout(LIMIT), lease -> 1), was);
    }
    for (Duration wait :
        List.of(
            Duration.ofNanos(-1), Duration.ofDays(1).plusNanos(1), ENDLESS, ENDLESS.negated())) {
      String was = "was " + wait;
      assertRefused(() -> leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(wait)), was);
      assertRefused(() -> leases.acquireAll(requests(List.of("x"), LONG, wait)), was);
      assertRefused(() -> LeaseRequest.of("x", LONG).waitTimeout(wait), was);
    }
    assertThat(leases.tryAcquire("x", Leases.MIN_DURATION.plus(LONG))).isPresent();
    assertThat(leases.tryAcquire("y", Leases.MAX_DURATION)).isPresent();
    leases
        .acquire(LeaseRequest.of("z", Leases.MAX_DURATION).waitTimeout(Duration.ofDays(1)))
        .close();
  }

  @Test
  void aMarginMayBeLongButNotNegative() {
    Lease lease = leases.acquire("x", LONG);

    lease.ensureValid(Duration.ZERO);
    assertThatThrownBy(() -> lease.ensureValid(ENDLESS))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("less than");
    assertRefused(() -> ensured(lease, Duration.ofNanos(-1)), "negative");
    assertRefused(() -> ensured(lease, ENDLESS.negated()), "negative");
    assertRefused(() -> ensured(lease, nothing()), "must not be null");
    assertThat(lease.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
  }

  private static boolean ensured(Lease lease, Duration margin) {
    lease.ensureValid(margin);
    return true;
  }

  @Test
  void whatIsMissingIsRefused() {
    Lease lease = leases.acquire("held", LONG);
    Collection<String> holes = Arrays.asList("a", null);
    assertRefused(() -> Holdfast.createLeases(nothing()), "null");
    assertRefused(() -> Holdfast.createLeases(store, nothing()), "null");
    assertRefused(() -> leases.tryAcquire((String) nothing(), LONG), "null");
    assertRefused(() -> leases.tryAcquire((LeaseRequest) nothing()), "null");
    assertRefused(() -> leases.tryAcquire("x", nothing()), "null");
    assertRefused(() -> leases.acquire("x", nothing()), "null");
    assertRefused(() -> leases.acquire(LeaseRequest.of("x", LONG).waitTimeout(nothing())), "null");
    assertRefused(() -> leases.acquire((LeaseRequest) nothing()), "null");
    assertRefused(
        () -> leases.call(LeaseRequest.of("x", LONG).waitTimeout(LIMIT), nothing()), "null");
    assertRefused(() -> leases.tryAcquireAll(nothing()), "null");
    assertRefused(() -> leases.acquireAll(requests(holes, LONG, LIMIT)), "null");
    assertRefused(() -> leases.acquireAll(requests(List.of("x"), LONG, nothing())), "null");
    assertRefused(() -> leases.acquireAll(nothing()), "null");
    assertRefused(() -> leases.tryAcquireAll(List.of()), "at least one");
    assertRefused(() -> leases.call(nothing(), held -> 1), "null");
    assertRefused(() -> leases.find(nothing()), "null");
    assertRefused(() -> leases.list(nothing(), null, 1), "null");
    assertRefused(() -> leases.forceRelease(nothing()), "null");
    assertRefused(() -> new Target(nothing(), 1, 1), "null");
    assertThatThrownBy(() -> lease.onLost(nothing())).isInstanceOf(InvalidArgumentException.class);
    for (int most : List.of(Integer.MIN_VALUE, -1, 0, 1001, Integer.MAX_VALUE)) {
      assertRefused(() -> leases.list("", null, most), "was " + most);
    }
    for (int permits : List.of(Integer.MIN_VALUE, 0, 3, Integer.MAX_VALUE)) {
      assertRefused(() -> Target.permits("x", permits, 2), "was " + permits);
    }
    assertRefused(() -> Target.permits("x", 1, LeaseRequest.MAX_PERMITS + 1), "1000001");
    assertThat(leases.list("", null, 10)).as("nothing else was left behind").hasSize(1);
  }

  @Test
  void endedLeaseStaysEnded() {
    AtomicBoolean told = new AtomicBoolean();
    Lease released = leases.acquire(LeaseRequest.of("x", LONG).autoRenew());
    released.close();
    Lease next = elsewhere.acquire("x", LONG);
    released.onLost(loss -> told.set(true));
    released.close();
    assertThat(released.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    assertThat(released.renew()).isEqualTo(Lease.RenewResult.LOST);
    assertThat(released.remaining()).isZero();
    assertThat(next.renew()).isEqualTo(Lease.RenewResult.RENEWED);

    elsewhere.forceRelease(next.key());
    assertThatThrownBy(next::close).isInstanceOf(LeaseLostException.class);
    next.close();
    assertThat(next.release()).isEqualTo(Lease.ReleaseResult.LOST);
    assertThat(next.renew()).isEqualTo(Lease.RenewResult.LOST);
    assertThat(elsewhere.forceRelease(next.key())).as("nobody has it").isEmpty();

    LeaseGroup group = leases.acquireAll(requests(List.of("a", "b"), LONG, LIMIT));
    group.close();
    group.close();
    assertThat(group.release()).isEqualTo(Lease.ReleaseResult.RELEASED);
    assertThat(group.remaining()).isZero();
    assertThat(told).isFalse();
  }

  /** A null where there must be none, as a caller without checks would pass it. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return (@Nullable T) null;
  }

  private static void assertRefused(Callable<?> call, String why) {
    assertThatThrownBy(call::call)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(why);
  }
}
