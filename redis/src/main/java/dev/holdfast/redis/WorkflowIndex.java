package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.HoldfastException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries of attempts of workflows, by the time at which their leases end. It is only a hint: it is
 * in another slot than the records, so both cannot change in one step. An entry is added before the
 * claim of its attempt and removed after the record is completed. {@link WorkflowScan} checks each
 * entry against its record.
 */
final class WorkflowIndex {
  private static final Logger LOG = LoggerFactory.getLogger(WorkflowIndex.class);

  /**
   * A due entry.
   *
   * @param at when it became due, in microseconds by the clock of Redis
   * @param since how long ago that was
   */
  record Due(WorkflowEntry entry, long at, Duration since) {}

  private final RedisConnections link;
  private final byte[] names;
  private final Duration timeout;

  WorkflowIndex(RedisConnections link, RecordKeys keys, Duration timeout) {
    this.link = link;
    this.names = keys.workflows();
    this.timeout = timeout;
  }

  /** Adds an entry that is due after {@code delay}, or changes its time. */
  void add(WorkflowEntry entry, Duration delay) {
    new ScriptCall(
            Script.WORKFLOW_ADD,
            "adding the workflow entry of",
            entry.key(),
            names,
            args ->
                args.add(entry.workflow().getBytes(UTF_8))
                    .add(entry.bytes())
                    .add(TimeUnit.MICROSECONDS.convert(delay)),
            RedisErrors.OF_IDEMPOTENCY)
        .number(link.shared(), timeout);
  }

  /** As {@link #add}, but a failure is only logged: a later scan corrects the entry. */
  void tryAdd(WorkflowEntry entry, Duration delay) {
    tryChange(() -> add(entry, delay));
  }

  /** Removes an entry; false if there was none. */
  boolean remove(WorkflowEntry entry) {
    return new ScriptCall(
                Script.WORKFLOW_REMOVE,
                "removing the workflow entry of",
                entry.key(),
                names,
                args -> args.add(entry.workflow().getBytes(UTF_8)).add(entry.bytes()),
                RedisErrors.OF_IDEMPOTENCY)
            .number(link.shared(), timeout)
        == 1;
  }

  /** As {@link #remove}, but a failure is only logged: a later scan removes the entry. */
  void tryRemove(WorkflowEntry entry) {
    tryChange(
        () -> {
          boolean unused = remove(entry);
        });
  }

  private static void tryChange(Runnable change) {
    try {
      change.run();
    } catch (HoldfastException e) {
      LOG.debug("a workflow entry is outdated until a scan corrects it", e);
    }
  }

  /** The due entries of a workflow, oldest first. */
  List<Due> due(String workflow, int skip, int limit) {
    List<Object> reply =
        new ScriptCall(
                Script.WORKFLOW_DUE,
                "reading interrupted workflows of",
                "'" + workflow + "'",
                names,
                args -> args.add(workflow.getBytes(UTF_8)).add(skip).add(limit),
                RedisErrors.OF_IDEMPOTENCY)
            .list(link.shared(), timeout);
    List<Due> due = new ArrayList<>();
    long now = (Long) reply.get(0);
    for (int i = 1; i + 1 < reply.size(); i += 2) {
      long at = (Long) reply.get(i + 1);
      WorkflowEntry entry = WorkflowEntry.read(workflow, (byte[]) reply.get(i));
      due.add(new Due(entry, at, Duration.ofNanos((now - at) * 1000)));
    }
    return due;
  }

  /** The names of all workflows that have entries. */
  List<String> names() {
    return new ScriptCall(
            Script.WORKFLOW_NAMES,
            "reading",
            "the names of workflows",
            names,
            args -> {},
            RedisErrors.OF_IDEMPOTENCY)
        .list(link.shared(), timeout).stream()
            .map(name -> new String((byte[]) name, UTF_8))
            .toList();
  }
}
