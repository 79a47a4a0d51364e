package dev.holdfast.race.internal.explore;

/** The code did something else in the same situation, so that not the order alone decides. */
final class NotDeterministic extends Unexplorable {
  private static final long serialVersionUID = 1;

  private final String how;

  NotDeterministic(String how) {
    super("the code is not deterministic: " + how);
    this.how = how;
  }

  /** What was seen of it. */
  String how() {
    return how;
  }
}
