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
final class WorkflowScan {
  /**
   * How long a due entry without a record is kept. An entry is added before its claim, which may
   * still be on its way; this is far longer than that can take.
   */
  private static final Duration MAX_CLAIM_DELAY = Duration.ofMinutes(5);

  private static final int PAGE_SIZE = 100;

  private record Found(Interrupted interrupted, long at) {}

  private final WorkflowIndex index;
  private final RecordKeys keys;
  private final RedisConnections link;
  private final Duration timeout;
  private final Attempts attempts;
  private final List<Found> found = new ArrayList<>();
  private int removed;

  /**
   * @param attempts only workflows in this range are collected
   */
  WorkflowScan(
      WorkflowIndex index,
      RecordKeys keys,
      RedisConnections link,
      Duration timeout,
      Attempts attempts) {
    this.index = index;
    this.keys = keys;
    this.link = link;
    this.timeout = timeout;
    this.attempts = attempts;
  }

  /** The interrupted workflows of these names, oldest first. */
  List<Interrupted> interrupted(Collection<String> workflows, int limit) {
    scan(workflows, limit, Integer.MAX_VALUE);
    return found.stream()
        .sorted(Comparator.comparingLong(Found::at))
        .map(Found::interrupted)
        .toList();
  }

  /** Deletes up to {@code limit} obsolete entries, and returns how many. */
  int deleteObsolete(int limit) {
    scan(index.names(), Integer.MAX_VALUE, limit);
    return removed;
  }

  private void scan(Collection<String> workflows, int maxFound, int maxRemoved) {
    Map<String, Integer> read = new LinkedHashMap<>();
    workflows.forEach(workflow -> read.put(workflow, 0));
    while (!read.isEmpty()) {
      for (WorkflowIndex.Due due : page(read)) {
        if (found.size() >= maxFound || removed >= maxRemoved) {
          return;
        }
        if (isStillDue(due)) {
          read.computeIfPresent(due.entry().workflow(), (workflow, count) -> count + 1);
        }
      }
    }
  }

  /** The next entries of each workflow; removes workflows that have no more from {@code read}. */
  private List<WorkflowIndex.Due> page(Map<String, Integer> read) {
    List<WorkflowIndex.Due> page = new ArrayList<>();
    for (String workflow : List.copyOf(read.keySet())) {
      List<WorkflowIndex.Due> due = index.due(workflow, read.getOrDefault(workflow, 0), PAGE_SIZE);
      page.addAll(due);
      if (due.size() < PAGE_SIZE) {
        read.remove(workflow);
      }
    }
    page.sort(Comparator.comparingLong(WorkflowIndex.Due::at));
    return page;
  }

  /** Checks an entry against its record, and corrects it; whether it is still due afterwards. */
  private boolean isStillDue(WorkflowIndex.Due due) {
    WorkflowEntry entry = due.entry();
    List<Object> reply =
        new ScriptCall(
                Script.WORKFLOW_INTERRUPTED,
                "reading the interrupted workflow of",
                entry.key(),
                keys.record(entry.key()),
                args ->
                    args.add(Uuids.bytes(entry.ownerId()))
                        .add(entry.workflow().getBytes(UTF_8))
                        .add(attempts.from())
                        .add(attempts.below()),
                RedisErrors.OF_IDEMPOTENCY)
            .list(link.shared(), timeout);
    switch (((Long) reply.get(0)).intValue()) {
      case 1 -> {
        found.add(found(entry, reply));
        return true;
      }
      case 2 -> index.add(entry, RecordReplies.micros(reply.get(1)));
      case 3 -> remove(entry);
      case 4 -> {
        if (due.since().compareTo(MAX_CLAIM_DELAY) < 0) {
          return true;
        }
        remove(entry);
      }
      case 5 -> {
        // first: if the entry of the other attempt is missing, the workflow would be lost
        index.add(
            entry.ofOwner(Uuids.read((byte[]) reply.get(1))), RecordReplies.micros(reply.get(2)));
        remove(entry);
      }
      default -> {
        return true;
      }
    }
    return false;
  }

  private void remove(WorkflowEntry entry) {
    if (index.remove(entry)) {
      removed++;
    }
  }

  private static Found found(WorkflowEntry entry, List<Object> reply) {
    Interrupted interrupted =
        new Interrupted(
            entry.key(),
            Fingerprint.ofSha256((byte[]) reply.get(2)),
            new WorkflowInput(entry.workflow(), (byte[]) reply.get(4)),
            ((Long) reply.get(3)).intValue());
    return new Found(interrupted, (Long) reply.get(1));
  }
}
