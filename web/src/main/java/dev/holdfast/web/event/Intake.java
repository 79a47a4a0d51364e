package dev.holdfast.web.event;

import dev.holdfast.web.api.ProblemType;
import dev.holdfast.web.event.Storing.Draft;
import java.time.Duration;

/** Stores the events of single requests, those that come at the same time together. */
final class Intake {
  private static final int MAX_WAITING = 2000;
  private static final int MAX_BATCH = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final GroupCommit<Draft, Stored> group;

  Intake(Storing storing) {
    this(storing, MAX_WAITING);
  }

  Intake(Storing storing, int maxWaiters) {
    this.group = new GroupCommit<>(maxWaiters, MAX_BATCH, PATIENCE, storing::each);
  }

  Stored store(Draft draft) {
    try {
      return group.ask(draft);
    } catch (GroupCommit.NotBegunException e) {
      throw ProblemType.TOO_MANY_REQUESTS
          .with("nothing was stored: " + e.getMessage() + "; try again in a moment")
          .header("Retry-After", "1")
          .exception();
    } catch (GroupCommit.InDoubtException e) {
      throw ProblemType.UNAVAILABLE
          .with(
              "whether this was stored is not known, because the database has not answered in time;"
                  + " repeat it with the same key, or look whether it is there")
          .header("Retry-After", "5")
          .exception();
    }
  }
}
