package dev.holdfast.event.internal;

/** What became of events whose instance is gone: how many are pending again, and have failed. */
public record Rescued(int pending, int failed) {
  public int sum() {
    return pending + failed;
  }
}
