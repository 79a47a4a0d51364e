package dev.holdfast.web.webhook;

import dev.holdfast.event.EventContext;
import dev.holdfast.webhook.Attempt;
import dev.holdfast.webhook.Permit;
import org.jspecify.annotations.Nullable;

/** A call that is being made, and what it has to give back. */
record Underway(
    WebhookTask task, EventContext context, Slots.Slot slot, Permit permit, long startedNanos) {

  Underway(WebhookTask task, EventContext context, Slots.Slot slot, Permit permit) {
    this(task, context, slot, permit, System.nanoTime());
  }

  void giveBack() {
    // the permit first: whoever gets the place asks for one at once
    permit.close();
    slot.giveBack(false);
  }

  /**
   * Gives back what it has, and says what follows.
   *
   * @param attempt null where it was cancelled
   */
  Aftermath ended(@Nullable Attempt attempt) {
    if (attempt == null) {
      giveBack();
      return Aftermath.ofCancelled(this);
    }
    permit.ended(attempt);
    slot.giveBack(true);
    return Aftermath.of(this, attempt);
  }
}
