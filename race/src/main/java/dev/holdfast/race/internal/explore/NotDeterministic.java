package dev.holdfast.race.internal.explore;

/** The code did something else in the same situation, so that not the order alone decides. */
final class NotDeterministic extends Unexplorable {
  private static final long serialVersionUID = 1;

  NotDeterministic(String message) {
    super("the code is not deterministic: " + message);
  }
}
