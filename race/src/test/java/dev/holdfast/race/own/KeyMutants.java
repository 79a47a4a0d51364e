package dev.holdfast.race.own;

import java.util.List;

/** Keys, replays and pauses without one of their conditions, locks or counts. */
final class KeyMutants {
  private static final String INSERT = "WITH k AS (INSERT";
  private static final String CONFLICT = " ON CONFLICT (shard, event_key) DO NOTHING";
  private static final String TAKE_OVER = "k AS (UPDATE holdfast_event_key";
  private static final String REPLACE = "SET version = version + 1, attempts = 0";
  private static final String KEY_LOCK = "SELECT event_key, id FROM holdfast_event_key";
  private static final String REPLAY_LOCK = "SELECT id FROM holdfast_event_history";
  private static final String REPLAY_NOTE = "SET replayed_as";

  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "key, clause about conflicts dropped",
              KeyPrograms.KEEP,
              Mutation.none().rewriting(INSERT, CONFLICT, "")),
          new Mutant(
              "key, conflict takes the key over",
              KeyPrograms.KEEP,
              Mutation.none()
                  .rewriting(
                      INSERT,
                      CONFLICT,
                      " ON CONFLICT (shard, event_key) DO UPDATE SET id = EXCLUDED.id")),
          new Mutant(
              "key, event is stored whoever has the key",
              KeyPrograms.REJECT,
              Mutation.none()
                  .rewriting(INSERT, "k.id", "COALESCE(k.id, nextval('holdfast_event_id'))")
                  .rewriting(INSERT, ") v, k", ") v LEFT JOIN k ON TRUE")),
          new Mutant(
              "taking a key over, condition on the former event dropped",
              KeyPrograms.TAKE_OVER,
              Mutation.none().rewriting(TAKE_OVER, "t.id = ?", "CAST(? AS bigint) IS NOT NULL")),
          new Mutant(
              "replacing, condition on the status dropped",
              KeyPrograms.REPLACE_OR_CLAIM,
              Mutation.none().rewriting(REPLACE, " AND status = 0", "")),
          new Mutant(
              "replacing, row count ignored",
              KeyPrograms.REPLACE_OR_CLAIM,
              Mutation.none().counting(REPLACE, 1)),
          new Mutant(
              "forgetting keys, lock and condition on the event dropped",
              KeyPrograms.FORGET_OR_SCHEDULE,
              Mutation.none()
                  .rewriting(KEY_LOCK, " FOR UPDATE SKIP LOCKED", "")
                  .rewriting(
                      "DELETE FROM holdfast_event_key",
                      "AND id = ?",
                      "AND CAST(? AS bigint) IS NOT NULL")),
          new Mutant(
              "forgetting keys, lock dropped",
              KeyPrograms.FORGET_BESIDE,
              Mutation.none().rewriting(KEY_LOCK, " FOR UPDATE SKIP LOCKED", "")),
          new Mutant(
              "forgetting keys, waits for locks",
              KeyPrograms.FORGET_BESIDE,
              Mutation.none().rewriting(KEY_LOCK, " SKIP LOCKED", "")),
          new Mutant(
              "forgetting keys, looks for ended events first",
              KeyPrograms.FORGET_OR_COMPLETE,
              Mutation.none()
                  .rewriting(
                      "SELECT id FROM holdfast_event WHERE shard = ? AND id IN",
                      "holdfast_event",
                      "holdfast_event_history")
                  .rewriting(
                      "SELECT id FROM holdfast_event_history WHERE shard = ? AND id IN",
                      "holdfast_event_history",
                      "holdfast_event")),
          new Mutant(
              "replaying, lock and condition of the note dropped",
              KeyPrograms.REPLAY,
              Mutation.none()
                  .rewriting(REPLAY_LOCK, " FOR UPDATE", "")
                  .rewriting(REPLAY_NOTE, " AND replayed_as IS NULL", "")),
          new Mutant(
              "replaying, lock dropped",
              KeyPrograms.REPLAY,
              Mutation.none().rewriting(REPLAY_LOCK, " FOR UPDATE", "")),
          new Mutant(
              "replaying, lock dropped and row count ignored",
              KeyPrograms.REPLAY,
              Mutation.none().rewriting(REPLAY_LOCK, " FOR UPDATE", "").counting(REPLAY_NOTE, 1)),
          new Mutant(
              "replaying, conditions on the note dropped",
              KeyPrograms.REPLAY,
              Mutation.none()
                  .rewriting(REPLAY_LOCK, " AND replayed_as IS NULL", "")
                  .rewriting(REPLAY_NOTE, " AND replayed_as IS NULL", "")),
          new Mutant(
              "pausing, clause about conflicts dropped",
              KeyPrograms.PAUSE,
              Mutation.none()
                  .rewriting(
                      "INSERT INTO holdfast_pause", "ON CONFLICT (kind, name) DO NOTHING", "")));

  private KeyMutants() {}
}
