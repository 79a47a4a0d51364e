package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.spi.IdempotencyStore.Attempts;
import dev.holdfast.idempotency.spi.IdempotencyStore.Interrupted;
import dev.holdfast.idempotency.spi.IdempotencyStore.WorkflowInput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the due entries of workflows, and the record of each: interrupted workflows are collected,
 * and outdated entries are corrected. For one use.
 */
final class FlowWalk {
  /**
   * An attempt is entered before it claims: for so long after its time a record that is not there
   * may come yet, which is far longer than a claim can be on its way.
   */
  private static final Duration CLAIM_MAY_COME = Duration.ofMinutes(5);

  private static final int AT_ONCE = 100;

  private record Left(Interrupted work, long at) {}

  private final FlowIndex index;
  private final RecordKeys keys;
  private final Link link;
  private final Duration timeout;
  private final Attempts attempts;
  private final List<Left> found = new ArrayList<>();
  private int removed;

  /**
   * @param attempts what was claimed so often is collected
   */
  FlowWalk(FlowIndex index, RecordKeys keys, Link link, Duration timeout, Attempts attempts) {
    this.index = index;
    this.keys = keys;
    this.link = link;
    this.timeout = timeout;
    this.attempts = attempts;
  }

  /** The interrupted workflows of these names, oldest first. */
  List<Interrupted> interrupted(Collection<String> flows, int limit) {
    walk(flows, limit, Integer.MAX_VALUE);
    return found.stream().sorted(Comparator.comparingLong(Left::at)).map(Left::work).toList();
  }

  /** Deletes up to {@code limit} obsolete entries, and returns how many. */
  int deleteExpired(int limit) {
    walk(index.names(), Integer.MAX_VALUE, limit);
    return removed;
  }

  private void walk(Collection<String> flows, int maxFound, int maxRemoved) {
    Map<String, Integer> seen = new LinkedHashMap<>();
    flows.forEach(flow -> seen.put(flow, 0));
    while (!seen.isEmpty()) {
      for (FlowIndex.Due due : page(seen)) {
        if (found.size() >= maxFound || removed >= maxRemoved) {
          return;
        }
        if (stays(due)) {
          seen.computeIfPresent(due.entry().flow(), (flow, before) -> before + 1);
        }
      }
    }
  }

  /** The next ones of each flow; flows that have no more are taken out. */
  private List<FlowIndex.Due> page(Map<String, Integer> seen) {
    List<FlowIndex.Due> page = new ArrayList<>();
    for (String flow : List.copyOf(seen.keySet())) {
      List<FlowIndex.Due> due = index.due(flow, seen.getOrDefault(flow, 0), AT_ONCE);
      page.addAll(due);
      if (due.size() < AT_ONCE) {
        seen.remove(flow);
      }
    }
    page.sort(Comparator.comparingLong(FlowIndex.Due::at));
    return page;
  }

  /** Looks at the record of an entry; whether the entry is still due after that. */
  private boolean stays(FlowIndex.Due due) {
    FlowEntry entry = due.entry();
    List<Object> answer =
        new Call(
                Script.CLAIM_ABANDONED,
                "looking for the abandoned flow of",
                entry.key(),
                keys.state(entry.key()),
                args ->
                    args.add(Uuids.bytes(entry.attempt()))
                        .add(entry.flow().getBytes(UTF_8))
                        .add(attempts.from())
                        .add(attempts.below()),
                RedisErrors.OF_CLAIMS)
            .list(link.shared(), timeout);
    switch (((Long) answer.get(0)).intValue()) {
      case 1 -> {
        found.add(left(entry, answer));
        return true;
      }
      case 2 -> index.enter(entry, RecordAnswers.micros(answer.get(1)));
      case 3 -> remove(entry);
      case 4 -> {
        if (due.since().compareTo(CLAIM_MAY_COME) < 0) {
          return true;
        }
        remove(entry);
      }
      case 5 -> {
        // first: it should be there, but where it is not, the flow would be lost
        index.enter(
            entry.of(Uuids.read((byte[]) answer.get(1))), RecordAnswers.micros(answer.get(2)));
        remove(entry);
      }
      default -> {
        return true;
      }
    }
    return false;
  }

  private void remove(FlowEntry entry) {
    if (index.leave(entry)) {
      removed++;
    }
  }

  private static Left left(FlowEntry entry, List<Object> answer) {
    Interrupted work =
        new Interrupted(
            entry.key(),
            Fingerprint.ofSha256((byte[]) answer.get(2)),
            new WorkflowInput(entry.flow(), (byte[]) answer.get(4)),
            ((Long) answer.get(3)).intValue());
    return new Left(work, (Long) answer.get(1));
  }
}
