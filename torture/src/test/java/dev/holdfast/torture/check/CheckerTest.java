package dev.holdfast.torture.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A clean history is judged clean; with one violation planted, exactly that one is seen. */
class CheckerTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int SECONDS = 100;

  private final List<Entry> lines = new ArrayList<>();

  CheckerTest() {
    add(0, "main", Kind.SETTING, "lease-millis", 3000);
    add(0, "main", Kind.SETTING, "limit", 3);
    add(0, "main", Kind.SETTING, "capacity", 2);
    add(0, "w1.1", Kind.READY);
    add(0, "w2.1", Kind.READY);
    add(0, "main", Kind.LOAD_BEGIN);
    for (int second = 0; second < SECONDS; second++) {
      second(second);
    }
    add(SECONDS, "main", Kind.LOAD_END);
    add(SECONDS + 1, "main", Kind.FINAL_ONCE, "k1", "r1");
  }

  /** What happens in each second of a clean run. */
  private void second(int second) {
    String worker = second % 2 == 0 ? "w1.1" : "w2.1";
    for (String queue : List.of("plain", "tx", "ordered", "limited")) {
      String key = queue + "-" + second;
      add(second + 0.1, "s1.1", Kind.SCHEDULE_INTENT, key, queue);
      add(second + 0.2, "s1.1", Kind.SCHEDULE_OK, key);
      add(second + 0.3, "main", Kind.SAMPLE, queue, 1, queue.equals("limited") ? 1 : 0);
      add(second + 0.4, worker, Kind.HANDLER_BEGIN, queue, key, 1);
      add(second + 0.5, worker, Kind.HANDLER_END, queue, key, 1, "owned");
      add(SECONDS + 1, "main", Kind.FINAL_EVENT, second, key, queue, "COMPLETED", "-", "-");
      if (queue.equals("tx") || queue.equals("ordered")) {
        String ordering = queue.equals("ordered") ? "o1" : "-";
        add(SECONDS + 1, "main", Kind.FINAL_EFFECT, second, key, ordering);
      }
    }
    add(second + 0.1, "s1.1", Kind.SCHEDULE_INTENT, "business-" + second, "plain");
    add(second + 0.2, "s1.1", Kind.SCHEDULE_OK, "business-" + second);
    add(second + 0.4, worker, Kind.HANDLER_BEGIN, "plain", "business-" + second, 1);
    add(second + 0.5, worker, Kind.HANDLER_END, "plain", "business-" + second, 1, "owned");
    add(SECONDS + 1, "main", Kind.FINAL_BUSINESS, "business-" + second);
    add(
        SECONDS + 1,
        "main",
        Kind.FINAL_EVENT,
        1000 + second,
        "business-" + second,
        "plain",
        "COMPLETED",
        "-",
        "-");
    String fire = "schedule/ticks/" + java.time.Instant.ofEpochSecond(1_000_000 + second);
    add(second + 0.6, "main", Kind.FINAL_EVENT, second, "t", "ticks", "COMPLETED", fire, "-");
    add(SECONDS + 1, "main", Kind.FINAL_EFFECT, 5000 + second, fire, "-");
    for (String name : List.of("exclusive-0", "permit-0")) {
      int token = second + 1;
      add(second + 0.1, worker, Kind.LEASE_INTENT, name, 5000);
      add(second + 0.2, worker, Kind.LEASE_HELD, name, token);
      add(second + 0.8, worker, Kind.LEASE_VALID, name, token);
      add(second + 0.9, worker, Kind.LEASE_RELEASED, name, token);
    }
    add(SECONDS + 1, "main", Kind.FINAL_WRITE, second, "exclusive-0", second + 1);
    add(second + 0.1, worker, Kind.ONCE_INTENT, "k1");
    add(second + 0.2, worker, Kind.ONCE_REPLY, "k1", "r1");
  }

  private void add(double second, String process, Kind kind, Object... arguments) {
    lines.add(entry(second, process, kind, arguments));
  }

  private static Entry entry(double second, String process, Kind kind, Object... arguments) {
    return new Entry(
        (long) (second * SECOND),
        process,
        kind,
        Stream.of(arguments).map(String::valueOf).toList());
  }

  private void change(UnaryOperator<Entry> change) {
    lines.replaceAll(change);
  }

  private void remove(Kind kind, int argument, String value) {
    boolean removed = lines.removeIf(is(kind, argument, value));
    assertThat(removed).isTrue();
  }

  private static java.util.function.Predicate<Entry> is(Kind kind, int argument, String value) {
    return entry -> entry.kind() == kind && entry.argument(argument).equals(value);
  }

  private void replace(Kind kind, int argument, String value, Object... arguments) {
    change(
        entry ->
            is(kind, argument, value).test(entry)
                ? entry(entry.nanos() / 1e9, entry.process(), kind, arguments)
                : entry);
  }

  private Verdict verdict() {
    return Checker.judge(lines);
  }

  private void seesOnly(Property property) {
    assertThat(verdict().violated()).containsExactly(property);
  }

  @Test
  void findsNothingInACleanHistory() {
    assertThat(verdict().violations()).isEmpty();
    assertThat(verdict().isClean()).isTrue();
  }

  @Test
  void seesAnAcknowledgedEventThatIsGone() {
    remove(Kind.FINAL_EVENT, 1, "plain-7");
    seesOnly(Property.LOST);
  }

  @Test
  void seesAnAcknowledgedEventThatHasNotEnded() {
    replace(Kind.FINAL_EVENT, 1, "plain-7", 7, "plain-7", "plain", "PROCESSING", "-", "-");
    seesOnly(Property.LOST);
  }

  @Test
  void seesACompletedEventThatNoHandlerHasSeen() {
    remove(Kind.HANDLER_END, 1, "plain-7");
    seesOnly(Property.LOST);
  }

  @Test
  void countsAnUnknownEventAsUnknown() {
    replace(Kind.SCHEDULE_OK, 0, "plain-7", "plain-7");
    change(
        entry ->
            is(Kind.SCHEDULE_OK, 0, "plain-7").test(entry)
                ? entry(7.2, "s1.1", Kind.SCHEDULE_UNKNOWN, "plain-7")
                : entry);
    assertThat(verdict().violations()).isEmpty();
    remove(Kind.FINAL_EVENT, 1, "plain-7");
    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void seesAnEventThatWasRolledBack() {
    change(
        entry ->
            is(Kind.SCHEDULE_OK, 0, "plain-7").test(entry)
                ? entry(7.2, "s1.1", Kind.SCHEDULE_ROLLED_BACK, "plain-7")
                : entry);
    seesOnly(Property.PHANTOM);
  }

  @Test
  void seesABusinessRowWithoutItsEvent() {
    lines.removeIf(is(Kind.SCHEDULE_OK, 0, "business-7"));
    remove(Kind.FINAL_EVENT, 1, "business-7");
    seesOnly(Property.TORN);
  }

  @Test
  void seesAnEventWithoutItsBusinessRow() {
    remove(Kind.FINAL_BUSINESS, 0, "business-7");
    seesOnly(Property.TORN);
  }

  @Test
  void seesAnEventThatIsThereTwice() {
    add(SECONDS + 1, "main", Kind.FINAL_EVENT, 7, "plain-7", "plain", "COMPLETED", "-", "-");
    seesOnly(Property.ENDED_TWICE);
  }

  @Test
  void seesAnEventThatHasFailed() {
    replace(Kind.FINAL_EVENT, 1, "plain-7", 7, "plain-7", "plain", "FAILED", "-", "crashes 3");
    seesOnly(Property.FAILED);
  }

  @Test
  void seesAnEffectTwice() {
    add(SECONDS + 1, "main", Kind.FINAL_EFFECT, 9000, "tx-7", "-");
    seesOnly(Property.EFFECT_TWICE);
  }

  @Test
  void seesAMissingEffect() {
    remove(Kind.FINAL_EFFECT, 1, "tx-7");
    seesOnly(Property.EFFECT_MISSING);
  }

  @Test
  void seesAnEffectWithoutItsEvent() {
    add(SECONDS + 1, "main", Kind.FINAL_EFFECT, 9000, "tx-of-nobody", "-");
    seesOnly(Property.EFFECT_MISSING);
  }

  @Test
  void seesAMissingEffectOfAnOrderedEvent() {
    remove(Kind.FINAL_EFFECT, 1, "ordered-7");
    seesOnly(Property.EFFECT_MISSING);
  }

  @Test
  void seesAStaleWrite() {
    add(SECONDS + 1, "main", Kind.FINAL_WRITE, 9000, "exclusive-0", 5);
    seesOnly(Property.STALE_WRITE);
  }

  @Test
  void seesTwoValidHolders() {
    add(7.1, "w2.1", Kind.LEASE_INTENT, "exclusive-0", 5000);
    add(7.4, "w2.1", Kind.LEASE_HELD, "exclusive-0", 900);
    add(7.6, "w2.1", Kind.LEASE_VALID, "exclusive-0", 900);
    seesOnly(Property.TWO_HOLDERS);
  }

  @Test
  void allowsAsManyHoldersAsThereArePermits() {
    add(6.4, "w2.1", Kind.LEASE_HELD, "permit-0", 900);
    add(6.6, "w2.1", Kind.LEASE_VALID, "permit-0", 900);
    assertThat(verdict().violations()).isEmpty();
    add(6.5, "w3.1", Kind.LEASE_HELD, "permit-0", 901);
    add(6.7, "w3.1", Kind.LEASE_VALID, "permit-0", 901);
    seesOnly(Property.TWO_HOLDERS);
  }

  @Test
  void doesNotTakeAHolderWhoseLeaseIsOverForAHolder() {
    add(6.4, "w2.1", Kind.LEASE_HELD, "exclusive-0", 900);
    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void seesARequestThatWasExecutedTwice() {
    add(SECONDS + 1, "main", Kind.FINAL_ONCE, "k1", "r1");
    seesOnly(Property.ONCE_TWICE);
  }

  @Test
  void seesAnAnswerThatDiffers() {
    add(7.7, "w1.1", Kind.ONCE_REPLY, "k1", "r2");
    seesOnly(Property.ONCE_DIFFERS);
  }

  @Test
  void seesAnAnswerWithoutItsEffect() {
    add(7.7, "w1.1", Kind.ONCE_REPLY, "k2", "r2");
    seesOnly(Property.ONCE_DIFFERS);
  }

  @Test
  void seesAMissingFire() {
    String fire = "schedule/ticks/" + java.time.Instant.ofEpochSecond(1_000_007);
    remove(Kind.FINAL_EVENT, 4, fire);
    remove(Kind.FINAL_EFFECT, 1, fire);
    seesOnly(Property.FIRES);
  }

  @Test
  void seesAFireTwice() {
    String fire = "schedule/ticks/" + java.time.Instant.ofEpochSecond(1_000_007);
    add(7.6, "main", Kind.FINAL_EVENT, 900, "t", "ticks", "COMPLETED", fire, "-");
    assertThat(verdict().violated()).contains(Property.FIRES, Property.ENDED_TWICE);
  }

  @Test
  void seesEffectsOutOfOrder() {
    replace(Kind.FINAL_EFFECT, 1, "ordered-7", 99_999, "ordered-7", "o1");
    seesOnly(Property.ORDER);
  }

  @Test
  void seesALimitExceededInTheTable() {
    add(7.35, "main", Kind.SAMPLE, "limited", 9, 4);
    seesOnly(Property.LIMIT);
  }

  @Test
  void seesALimitExceededByHandlers() {
    for (int i = 0; i < 4; i++) {
      add(7.6, "w1.1", Kind.HANDLER_BEGIN, "limited", "limited-x" + i, 1);
      add(7.7, "w1.1", Kind.HANDLER_END, "limited", "limited-x" + i, 1, "owned");
    }
    seesOnly(Property.LIMIT);
  }

  @Test
  void doesNotCountHandlersThatHaveLostTheirEvents() {
    for (int i = 0; i < 4; i++) {
      add(7.6, "w1.1", Kind.HANDLER_BEGIN, "limited", "limited-x" + i, 1);
      add(7.7, "w1.1", Kind.HANDLER_END, "limited", "limited-x" + i, 1, "lost");
    }
    assertThat(verdict().violations()).isEmpty();
  }

  private void silence(Kind kind, String name, double from, double to) {
    boolean removed =
        lines.removeIf(
            entry ->
                entry.kind() == kind
                    && entry.argument(0).equals(name)
                    && entry.nanos() > from * SECOND
                    && entry.nanos() < to * SECOND);
    assertThat(removed).isTrue();
    // each key was handled; it is only later
    if (kind == Kind.HANDLER_END) {
      for (int second = (int) from; second < to; second++) {
        add(SECONDS + 0.5, "w1.1", Kind.HANDLER_END, name, name + "-" + second, 9, "owned");
      }
    }
  }

  @Test
  void seesAQueueThatStandsStill() {
    silence(Kind.HANDLER_END, "limited", 20, 30);
    seesOnly(Property.STALL);
    assertThat(verdict().violations().get(0).text()).contains("queue limited");
  }

  @Test
  void doesNotTakeAnEmptyQueueForOneThatStandsStill() {
    silence(Kind.HANDLER_END, "limited", 20, 30);
    change(
        entry ->
            is(Kind.SAMPLE, 0, "limited").test(entry)
                ? entry(entry.nanos() / 1e9, "main", Kind.SAMPLE, "limited", 0, 0)
                : entry);
    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void excusesWhatTheDatabaseIsTheCauseOf() {
    add(20, "main", Kind.FAULT_BEGIN, 1, "database-kill", "database");
    add(26, "main", Kind.FAULT_END, 1, "database-kill", "database");
    silence(Kind.HANDLER_END, "limited", 20, 36);
    assertThat(verdict().violations()).isEmpty();
    silence(Kind.HANDLER_END, "limited", 36, 42);
    seesOnly(Property.STALL);
  }

  @Test
  void excusesTimesWithoutAnUnaffectedWorker() {
    for (String node : List.of("w1", "w2")) {
      add(20, "main", Kind.FAULT_BEGIN, node, "stop", node);
      add(29, "main", Kind.FAULT_END, node, "stop", node);
    }
    silence(Kind.HANDLER_END, "limited", 20, 34);
    assertThat(verdict().violations()).isEmpty();
    silence(Kind.HANDLER_END, "limited", 34, 40);
    seesOnly(Property.STALL);
  }

  @Test
  void excusesTimesInWhichTheMachineGaveAWorkerNoProcessor() {
    silence(Kind.HANDLER_END, "limited", 20, 30);
    add(26, "w1.1", Kind.PAUSED, 2000);
    seesOnly(Property.STALL);
    add(25, "w2.1", Kind.PAUSED, 1500);
    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void excusesAWorkerThatWasKilledUntilItIsReady() {
    for (String node : List.of("w1", "w2")) {
      add(20, "main", Kind.FAULT_BEGIN, node, "kill", node);
      add(21, "main", Kind.FAULT_END, node, "kill", node);
      add(28, node + ".2", Kind.READY);
    }
    silence(Kind.HANDLER_END, "limited", 20, 34);
    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void oneUnaffectedWorkerIsEnoughForAStall() {
    add(20, "main", Kind.FAULT_BEGIN, 1, "blackhole", "w1");
    add(29, "main", Kind.FAULT_END, 1, "blackhole", "w1");
    silence(Kind.HANDLER_END, "limited", 20, 32);
    seesOnly(Property.STALL);
    assertThat(verdict().violations().get(0).text()).contains("w2", "blackhole w1");
  }

  @Test
  void seesAScheduleThatStandsStill() {
    // made, but late
    change(
        entry ->
            entry.kind() == Kind.FINAL_EVENT
                    && entry.argument(2).equals("ticks")
                    && entry.nanos() > 20 * SECOND
                    && entry.nanos() < 30 * SECOND
                ? new Entry(30 * SECOND, entry.process(), entry.kind(), entry.arguments())
                : entry);
    seesOnly(Property.STALL);
    assertThat(verdict().violations().get(0).text()).contains("schedule ticks");
  }

  @Test
  void seesALeaseThatStandsStill() {
    lines.removeIf(
        entry ->
            entry.kind().name().startsWith("LEASE")
                && entry.argument(0).equals("exclusive-0")
                && entry.nanos() > 20 * SECOND
                && entry.nanos() < 30 * SECOND);
    seesOnly(Property.STALL);
    assertThat(verdict().violations().get(0).text()).contains("lease exclusive-0");
  }

  @Test
  void seesACallThatDoesNotReturn() {
    add(20, "w1.1", Kind.LEASE_INTENT, "permit-1", 1000);
    add(30, "w1.1", Kind.LEASE_NONE, "permit-1", "taken");
    // others get it meanwhile
    for (int second = 0; second < SECONDS; second++) {
      add(second, "w2.1", Kind.LEASE_HELD, "permit-1", 100 + second);
    }
    seesOnly(Property.STALL);
    assertThat(verdict().violations().get(0).text()).contains("a call of LEASE_INTENT on w1.1");
  }

  @Test
  void seesAnInstanceThatDoesNotComeBack() {
    add(10, "main", Kind.FAULT_BEGIN, 1, "blackhole", "w2");
    add(15, "main", Kind.FAULT_END, 1, "blackhole", "w2");
    change(
        entry ->
            entry.process().equals("w2.1") && entry.nanos() > 10 * SECOND
                ? new Entry(entry.nanos(), "w1.1", entry.kind(), entry.arguments())
                : entry);
    seesOnly(Property.STUCK_INSTANCE);
  }

  @Test
  void measuresRecovery() {
    add(20.45, "main", Kind.FAULT_BEGIN, 1, "kill", "w1");
    add(21, "main", Kind.FAULT_END, 1, "kill", "w1");
    add(22, "w1.2", Kind.READY);
    remove(Kind.HANDLER_END, 1, "plain-20");
    add(24.45, "w2.1", Kind.HANDLER_BEGIN, "plain", "plain-20", 2);
    add(24.5, "w2.1", Kind.HANDLER_END, "plain", "plain-20", 2, "owned");
    assertThat(verdict().recoveryMax()).isBetween(3.99, 4.01);
    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void readsWhatWasWritten() {
    Entry entry = entry(1, "w1.1", Kind.HANDLER_FAILED, "plain", "k", 1, "two\nlines\tand a tab");
    assertThat(Entry.parse(entry.toLine().strip()).arguments())
        .containsExactly("plain", "k", "1", "two lines and a tab");
  }

  @Test
  void saysEveryNumberAtTheEnd() {
    assertThat(verdict().toText())
        .contains("lost 0", "effect-twice 0", "stale-writes 0", "stalls 0", "recovery-p99-s");
  }
}
