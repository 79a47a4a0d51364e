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
 * Where to look for flows that were left: entries in the order in which their claims run out. It is
 * a hint, in a slot of its own and so not in one step with the records: an attempt is entered
 * before it claims, and an entry is removed after its record is done; what an entry is worth, its
 * record tells.
 */
final class FlowIndex {
  private static final Logger LOG = LoggerFactory.getLogger(FlowIndex.class);

  /**
   * An entry whose time has come.
   *
   * @param at when, in microseconds by the clock of Redis
   * @param since how long ago
   */
  record Due(FlowEntry entry, long at, Duration since) {}

  private final Link link;
  private final byte[] flows;
  private final Duration timeout;

  FlowIndex(Link link, RecordKeys keys, Duration timeout) {
    this.link = link;
    this.flows = keys.flows();
    this.timeout = timeout;
  }

  /** Enters it, or changes its time: it is due so long from now. */
  void enter(FlowEntry entry, Duration until) {
    new Call(
            Script.FLOW_ENTER,
            "entering the flow of",
            entry.key(),
            flows,
            args ->
                args.add(entry.flow().getBytes(UTF_8))
                    .add(entry.bytes())
                    .add(TimeUnit.MICROSECONDS.convert(until)),
            RedisErrors.OF_CLAIMS)
        .number(link.shared(), timeout);
  }

  /** As {@link #enter}, for what is well without it. */
  void tryEnter(FlowEntry entry, Duration until) {
    attempt(() -> enter(entry, until));
  }

  /** Removes it; whether it was there. */
  boolean leave(FlowEntry entry) {
    return new Call(
                Script.FLOW_LEAVE,
                "removing the entry of",
                entry.key(),
                flows,
                args -> args.add(entry.flow().getBytes(UTF_8)).add(entry.bytes()),
                RedisErrors.OF_CLAIMS)
            .number(link.shared(), timeout)
        == 1;
  }

  /** As {@link #leave}, for what is well without it: whoever looks at the entry removes it. */
  void tryLeave(FlowEntry entry) {
    attempt(
        () -> {
          boolean unused = leave(entry);
        });
  }

  private static void attempt(Runnable change) {
    try {
      change.run();
    } catch (HoldfastException e) {
      LOG.debug("an entry of a flow is not up to date, and is mended by who looks at it", e);
    }
  }

  /** Those of a flow that are due, the oldest first, after so many. */
  List<Due> due(String flow, int skip, int most) {
    List<Object> answer =
        new Call(
                Script.FLOW_DUE,
                "looking for abandoned flows of",
                "'" + flow + "'",
                flows,
                args -> args.add(flow.getBytes(UTF_8)).add(skip).add(most),
                RedisErrors.OF_CLAIMS)
            .list(link.shared(), timeout);
    List<Due> due = new ArrayList<>();
    long now = (Long) answer.get(0);
    for (int i = 1; i + 1 < answer.size(); i += 2) {
      long at = (Long) answer.get(i + 1);
      FlowEntry entry = FlowEntry.read(flow, (byte[]) answer.get(i));
      due.add(new Due(entry, at, Duration.ofNanos((now - at) * 1000)));
    }
    return due;
  }

  /** The names of all flows that have entries. */
  List<String> names() {
    return new Call(
            Script.FLOW_NAMES, "looking for", "flows", flows, args -> {}, RedisErrors.OF_CLAIMS)
        .list(link.shared(), timeout).stream()
            .map(name -> new String((byte[]) name, UTF_8))
            .toList();
  }
}
