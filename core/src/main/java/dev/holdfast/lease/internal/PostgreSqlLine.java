package dev.holdfast.lease.internal;

/**
 * The processes that wait for an ordinary lease on PostgreSQL, in the order of their arrival: each
 * between two line feeds, in the column {@code waiting}. Where there is a queue, or was one among
 * them, it begins with an asterisk, and all are told. Those for whom a long line has no room are an
 * entry of the name {@code *} together: at their turn all are told, too.
 */
final class PostgreSqlLine {
  private static final String OTHERS = "replace(waiting, " + entry("holder") + ", '')";

  /** Processes other than the holder's wait. */
  static final String OTHERS_WAIT =
      "(waiting IS NOT NULL AND waiting_until > {now} AND " + OTHERS + " <> '')";

  /** It is the turn of one process. */
  static final String IS_OFFERED = "waiting NOT LIKE '*%' AND " + OTHERS_WAIT;

  /** Whom a release tells, or null. */
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

  /** Who waits after that, or null. */
  static final String REST =
      "CASE WHEN " + IS_OFFERED + " THEN NULLIF(" + AFTER_FIRST + ", '') END";

  /** Who waits after that, where the process that releases does too. */
  static final String REST_AND_SELF =
      "CASE WHEN " + IS_OFFERED + " THEN " + AFTER_FIRST + " || " + entry("holder") + " END";

  /**
   * The transaction ends before it is on the disk. A crash of the database then may undo it; what
   * is built on it later is on the disk only together with it.
   */
  static final String UNFLUSHED = "set_config('synchronous_commit', 'off', true)";

  /**
   * What a crash undoes is a release: the lease is held until it runs out, which is soon. That is
   * not {@code expires_at}, which may be the end of an offer by now.
   */
  static final String UNFLUSHED_IF_SHORT =
      "CASE WHEN acquired_at < {now} + interval '1 min' THEN " + UNFLUSHED + " END";

  private PostgreSqlLine() {}

  /** The entry of a process. */
  static String entry(String holder) {
    return "(chr(10) || " + holder + " || chr(10))";
  }
}
