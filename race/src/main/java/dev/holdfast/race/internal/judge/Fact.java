package dev.holdfast.race.internal.judge;

import java.util.List;

/**
 * One thing that is so at the end of a run: a row, how an actor ended, an effect. Its parts are
 * plain text, or entities that have no identity but for what is said of them.
 */
record Fact(List<Part> parts) {

  /** A piece of a fact. */
  sealed interface Part permits Plain, Entity {}

  /** What means the same in every run. */
  record Plain(String text) implements Part {}

  /**
   * A value that is new in every run.
   *
   * @param key distinguishes it from the others of the same run
   * @param kind what it certainly is, the same in every run
   */
  record Entity(String key, String kind) implements Part {}

  boolean isPlain() {
    return parts.stream().allMatch(Plain.class::isInstance);
  }
}
