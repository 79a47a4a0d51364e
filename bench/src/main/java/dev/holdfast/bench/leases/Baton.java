package dev.holdfast.bench.leases;

/** Who had a name last: only where it was another, it was handed over. */
final class Baton {
  private volatile int last = -1;

  /** Waits for the name, as this hand; answers one where it was handed over, else none. */
  int passed(Locks locks, int hand) throws Exception {
    int[] passed = new int[1];
    locks.wait(
        "wanted",
        () -> {
          passed[0] = last == hand ? 0 : 1;
          last = hand;
        });
    return passed[0];
  }
}
