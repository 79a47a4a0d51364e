package dev.holdfast.schedule;

/**
 * What one look at the due schedules has done.
 *
 * @param events how many events it made
 * @param skipped how many fires made none because an earlier event had not ended
 * @param left how many schedules it could not read, and left to instances of another version
 */
public record FireResult(int events, int skipped, int left) {
  static final FireResult NOTHING = new FireResult(0, 0, 0);

  FireResult plus(FireResult other) {
    return new FireResult(events + other.events, skipped + other.skipped, left + other.left);
  }
}
