package dev.holdfast.internal.event.store;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * Where one worker goes on in one queue: behind the last event that it has claimed, by priority.
 *
 * <p>Only a hint. Events that are gone leave entries in the index, and as long as somebody's old
 * snapshot may still see them nobody can remove those: without a bound every claim would read
 * through all of them. What appears before the bound is found when it is reset. For one thread.
 */
public final class ClaimCursor {
  static final int PRIORITIES = 10;

  private final Instant[] dueAt = new Instant[PRIORITIES];
  private final long[] id = new long[PRIORITIES];

  private boolean moved;

  public ClaimCursor() {
    Arrays.fill(dueAt, Instant.EPOCH);
  }

  /** Behind everything that can be due. */
  public static ClaimCursor end() {
    ClaimCursor end = new ClaimCursor();
    Arrays.fill(end.dueAt, Instant.parse("9999-12-31T23:59:59Z"));
    return end;
  }

  /** Whether this is not at the beginning. */
  public boolean moved() {
    return moved;
  }

  /** Goes back to the beginning, and answers whether it was not there. */
  public boolean reset() {
    boolean moved = this.moved;
    this.moved = false;
    Arrays.fill(dueAt, Instant.EPOCH);
    Arrays.fill(id, 0);
    return moved;
  }

  /** Goes on behind these, which are in order. */
  public void moveBehind(List<ClaimedEvent> claimed) {
    moved = true;
    for (int i = 0; i < claimed.size(); i++) {
      ClaimedEvent event = claimed.get(i);
      boolean last = i + 1 == claimed.size() || claimed.get(i + 1).priority() != event.priority();
      if (last) {
        dueAt[event.priority()] = event.dueAt();
        id[event.priority()] = event.id();
      }
    }
  }

  Instant dueAt(int priority) {
    return dueAt[priority];
  }

  long id(int priority) {
    return id[priority];
  }
}
