package dev.holdfast.event;

/** What to do about an event whose key is taken. */
public enum OnDuplicate {
  /** Leave the first as it is. */
  KEEP,
  /** Put the new one in its place as long as the first is pending; leave it after that. */
  REPLACE_PENDING,
  /** As {@link #KEEP}, but tell whether the type or the payload is another one. */
  REJECT_DIFFERENT
}
