package dev.holdfast.internal.lease.store;

/**
 * SQL of the waiters of an exclusive lease on PostgreSQL: the instance names in the order of
 * arrival, each between two line feeds, in the column {@code waiting}. If there is a queue in the
 * store, the list begins with an asterisk, and all waiters are notified. Waiters that a long list
 * has no room for share one entry {@code *}; at its turn all are notified, too.
 */
final class WaiterList {
  private static final String OTHERS = "replace(waiting, " + entry("holder") + ", '')";

  /** Other processes than the holder wait. */
  static final String OTHERS_WAIT =
      "(waiting IS NOT NULL AND waiting_until > {now} AND " + OTHERS + " <> '')";

  /** It is the turn of one instance. */
  static final String IS_OFFERED = "waiting NOT LIKE '*%' AND " + OTHERS_WAIT;

  /** The instance that a release notifies, or null. */
  static final String FIRST =
      "CASE WHEN "
          + IS_OFFERED
          + " THEN split_part("
          + OTHERS
          + ", chr(10), 2) WHEN "
          + OTHERS_WAIT
          + " THEN waiting END";

  private static final String AFTER_FIRST =
      "substr(" + OTHERS + ", length(split_part(" + OTHERS + ", chr(10), 2)) + 3)";

  /** The waiters after that, or null. */
  static final String REST =
      "CASE WHEN " + IS_OFFERED + " THEN NULLIF(" + AFTER_FIRST + ", '') END";

  /** The waiters after that, if the releasing instance waits, too. */
  static final String REST_AND_SELF =
      "CASE WHEN " + IS_OFFERED + " THEN " + AFTER_FIRST + " || " + entry("holder") + " END";

  /**
   * The transaction ends before it is on disk. A crash of the database may undo it; later changes
   * that build on it reach the disk only together with it.
   */
  static final String UNFLUSHED = "set_config('synchronous_commit', 'off', true)";

  /**
   * A crash can only undo a release: the lease is held until it expires, which is soon. The time to
   * compare is not {@code expires_at}, which may be the end of an offer by now.
   */
  static final String UNFLUSHED_IF_SHORT =
      "CASE WHEN acquired_at < {now} + interval '1 min' THEN " + UNFLUSHED + " END";

  private WaiterList() {}

  /** The entry of an instance. */
  static String entry(String holder) {
    return "(chr(10) || " + holder + " || chr(10))";
  }
}
