package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Entry;
import dev.holdfast.torture.history.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Nothing stands still. For each queue, schedule and lease name:
 *
 * <ol>
 *   <li>take the times between two signs of progress in which work was due: for a queue an event
 *       that a handler has ended while it owned it, with every sample of the table in between
 *       showing events that are due or in process; for a schedule its fires, for a lease a grant,
 *       both due throughout the load;
 *   <li>remove the times in which the database was away, see {@link Circumstances}; each remaining
 *       piece is judged by itself;
 *   <li>a piece is a stall where one worker was alive and unaffected in it for longer than the
 *       lease and 5 s without a break.
 * </ol>
 *
 * <p>Two more: a call on an unaffected process must return within the time that its caller is
 * willing to wait, the lease and 5 s, unless the pool of the process may still have silent
 * connections; and an instance that was unaffected for two leases and 60 s (what TCP, the pool and
 * the instance may take to notice silent connections) must have handled something in that time,
 * while others have.
 */
final class LivenessCheck {
  static final long SLACK_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long INSTANCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** What a call of scheduling or an idempotent request may take: it waits 5 s for a duplicate. */
  private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Samples are taken four times a second; a longer gap says nothing. */
  private static final long SAMPLE_GAP_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final List<Entry> entries;
  private final Circumstances circumstances;
  private final long lease;
  private final List<Violation> violations = new ArrayList<>();
  private final Map<String, Long> longest = new TreeMap<>();

  private LivenessCheck(List<Entry> entries, Circumstances circumstances, long lease) {
    this.entries = entries;
    this.circumstances = circumstances;
    this.lease = lease;
  }

  /**
   * What liveness was.
   *
   * @param longest the longest time without progress of each thing, in nanoseconds, as judged
   */
  record Result(List<Violation> violations, Map<String, Long> longest) {}

  static Result judge(List<Entry> entries, Circumstances circumstances, Setting setting) {
    LivenessCheck check = new LivenessCheck(entries, circumstances, setting.leaseNanos());
    check.queues();
    check.schedule();
    check.leases();
    check.calls();
    check.instances();
    return new Result(check.violations, check.longest);
  }

  private void queues() {
    Map<String, List<Entry>> samples = new TreeMap<>();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.SAMPLE) {
        samples.computeIfAbsent(entry.argument(0), queue -> new ArrayList<>()).add(entry);
      }
    }
    samples.forEach(
        (queue, all) ->
            idle(
                "queue " + queue,
                due(all),
                times(
                    entry ->
                        entry.kind() == Kind.HANDLER_END
                            && entry.argument(0).equals(queue)
                            && entry.argument(3).equals("owned"))));
  }

  private static Intervals due(List<Entry> samples) {
    List<Intervals.Interval> due = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      Entry before = samples.get(i - 1);
      Entry after = samples.get(i);
      boolean both = before.number(1) > 0 && after.number(1) > 0;
      if (both && after.nanos() - before.nanos() < SAMPLE_GAP_NANOS) {
        due.add(new Intervals.Interval(before.nanos(), after.nanos()));
      }
    }
    return Intervals.union(due);
  }

  private void schedule() {
    List<Long> fires =
        times(entry -> entry.kind() == Kind.FINAL_EVENT && entry.argument(2).equals("ticks"));
    if (!fires.isEmpty()) {
      idle("schedule ticks", circumstances.load(), fires);
    }
  }

  private void leases() {
    Set<String> names = new HashSet<>();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.LEASE_INTENT) {
        names.add(entry.argument(0));
      }
    }
    for (String name : names) {
      idle(
          "lease " + name,
          circumstances.load(),
          times(entry -> entry.kind() == Kind.LEASE_HELD && entry.argument(0).equals(name)));
    }
  }

  private List<Long> times(Predicate<Entry> progress) {
    return entries.stream().filter(progress).map(Entry::nanos).sorted().toList();
  }

  private void idle(String what, Intervals due, List<Long> progress) {
    int next = 0;
    for (Intervals.Interval interval : due.list()) {
      long from = interval.from();
      while (next < progress.size() && progress.get(next) <= interval.from()) {
        next++;
      }
      while (next < progress.size() && progress.get(next) < interval.to()) {
        gap(what, from, progress.get(next));
        from = progress.get(next++);
      }
      gap(what, from, interval.to());
    }
  }

  private void gap(String what, long from, long to) {
    // most gaps are short, and there are many
    if (to - from < SHORT_NANOS) {
      return;
    }
    for (Intervals.Interval piece :
        Intervals.of(from, to).minus(circumstances.databaseAway()).list()) {
      Intervals whole = new Intervals(List.of(piece));
      long best = 0;
      String witness = "";
      for (Map.Entry<String, Intervals> node : circumstances.unaffected().entrySet()) {
        long time = node.getKey().startsWith("w") ? whole.and(node.getValue()).longest() : 0;
        if (time > best) {
          best = time;
          witness = node.getKey();
        }
      }
      longest.merge(what, best, Math::max);
      if (best > lease + SLACK_NANOS) {
        violations.add(
            new Violation(
                Property.STALL,
                piece.from(),
                "%s stood still for %.1f s while %s was unaffected for %.1f s of it; faults: %s"
                    .formatted(
                        what,
                        Times.seconds(piece.length()),
                        witness,
                        Times.seconds(best),
                        circumstances.around(piece))));
      }
    }
  }

  private record Call(Entry intent, long allowed) {}

  private void calls() {
    Map<String, Call> open = new HashMap<>();
    for (Entry entry : entries) {
      switch (entry.kind()) {
        case LEASE_INTENT ->
            open.put(
                call(entry),
                new Call(entry, TimeUnit.MILLISECONDS.toNanos(entry.number(1)) + SLACK_NANOS));
        case SCHEDULE_INTENT, ONCE_INTENT ->
            open.put(call(entry), new Call(entry, CALL_NANOS + SLACK_NANOS));
        case LEASE_HELD,
            LEASE_NONE,
            SCHEDULE_OK,
            SCHEDULE_UNKNOWN,
            SCHEDULE_ROLLED_BACK,
            ONCE_REPLY,
            ONCE_NONE -> {
          Call call = open.remove(call(entry));
          if (call != null) {
            returned(call, entry.nanos());
          }
        }
        default -> {}
      }
    }
    long end = circumstances.load().list().isEmpty() ? 0 : circumstances.load().list().get(0).to();
    open.values().forEach(call -> returned(call, end));
  }

  /** Calls of one process to one thing are made by one thread. */
  private static String call(Entry entry) {
    return entry.process() + ' ' + entry.argument(0);
  }

  private void returned(Call call, long nanos) {
    long from = call.intent.nanos();
    if (nanos - from <= call.allowed + lease) {
      return;
    }
    Intervals time = Intervals.of(from, nanos);
    boolean throughout =
        time.and(circumstances.unaffected(call.intent.node())).equals(time)
            && !circumstances.hasSilentConnections(call.intent.node(), from);
    Intervals judged = time.minus(circumstances.databaseAway());
    if (throughout && judged.longest() > call.allowed + lease) {
      violations.add(
          new Violation(
              Property.STALL,
              from,
              "a call of %s on %s, %s, took %.1f s; faults: %s"
                  .formatted(
                      call.intent.kind(),
                      call.intent.process(),
                      call.intent.argument(0),
                      Times.seconds(nanos - from),
                      circumstances.around(time.list().get(0)))));
    }
  }

  private void instances() {
    Map<String, List<Long>> handled = new HashMap<>();
    for (Entry entry : entries) {
      if (entry.kind() == Kind.HANDLER_END) {
        handled.computeIfAbsent(entry.node(), node -> new ArrayList<>()).add(entry.nanos());
      }
    }
    long allowed = 2 * lease + INSTANCE_NANOS;
    circumstances
        .unaffected()
        .forEach(
            (node, unaffected) -> {
              if (node.startsWith("w")) {
                Intervals judged =
                    unaffected.and(circumstances.load()).minus(circumstances.databaseAway());
                judged
                    .list()
                    .forEach(
                        time ->
                            instance(node, time, handled.getOrDefault(node, List.of()), allowed));
              }
            });
  }

  private void instance(String node, Intervals.Interval time, List<Long> handled, long allowed) {
    long from = time.from();
    for (long progress : handled) {
      if (time.contains(progress)) {
        stuck(node, from, progress, allowed);
        from = progress;
      }
    }
    stuck(node, from, time.to(), allowed);
  }

  private void stuck(String node, long from, long to, long allowed) {
    longest.merge("instance " + node, to - from, Math::max);
    if (to - from > allowed) {
      violations.add(
          new Violation(
              Property.STUCK_INSTANCE,
              from,
              "%s handled nothing for %.1f s although nothing hindered it; faults: %s"
                  .formatted(
                      node,
                      Times.seconds(to - from),
                      circumstances.around(new Intervals.Interval(from, to)))));
    }
  }
}
