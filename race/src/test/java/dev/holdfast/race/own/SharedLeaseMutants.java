package dev.holdfast.race.own;

import java.util.List;
import java.util.stream.Stream;

/** Leases with several holders or a queue, without one of their locks or conditions. */
final class SharedLeaseMutants {
  static final String REMOVE = "DELETE FROM holdfast_lease_entry WHERE shard";
  static final String HAS = "SELECT held FROM holdfast_lease_entry";

  private static final String LOCK = "arrivals, (date_part";
  private static final String ENTRIES = "SELECT owner, held, arrival";
  private static final String HOLD = "SET token = ?, owner = ?";
  private static final String RAISE = "SET token = ?, acquired_at";
  private static final String STAY = "UPDATE holdfast_lease_entry SET expires_at";
  private static final String MARK = "SET arrivals = ?";
  private static final String RENEW = "owner = ? AND held = true";
  private static final String OWNER = "AND owner = ?";
  private static final String ANY_OWNER = "AND CAST(? AS uuid) IS NOT NULL";

  static final List<Mutant> ALL =
      Stream.of(locks(), conditions(), keys()).flatMap(List::stream).toList();

  private SharedLeaseMutants() {}

  private static List<Mutant> locks() {
    return List.of(
        of("shared, lock dropped", SharedLeasePrograms.NEXT, LOCK, "FOR UPDATE", ""),
        of(
            "shared, lock dropped (readers)",
            SharedLeasePrograms.READ_OR_WRITTEN,
            LOCK,
            "FOR UPDATE",
            ""),
        of("shared, lock dropped (permits)", SharedLeasePrograms.PERMITTED, LOCK, "FOR UPDATE", ""),
        of("queue, lock dropped", SharedLeasePrograms.QUEUE_NEXT, LOCK, "FOR UPDATE", ""),
        of(
            "queue, lock dropped (others do not queue)",
            SharedLeasePrograms.QUEUE_OR_NOT,
            LOCK,
            "FOR UPDATE",
            ""));
  }

  private static List<Mutant> conditions() {
    return List.of(
        alone(
            "removing a place, condition on the owner dropped",
            SharedLeasePrograms.QUEUE_IN_ORDER,
            REMOVE,
            "name = ? AND owner = ?",
            "name = ? " + ANY_OWNER),
        alone(
            "removing the dead, condition on the time dropped",
            SharedLeasePrograms.FORCED_BESIDE,
            REMOVE,
            "AND expires_at <= statement_timestamp()",
            ""),
        alone(
            "taking away shared, condition on the holders dropped",
            SharedLeasePrograms.FORCED_BESIDE,
            REMOVE,
            "AND held = true",
            ""),
        alone(
            "staying in the queue, condition on the owner dropped",
            SharedLeasePrograms.FORCED_BESIDE,
            STAY,
            OWNER,
            ANY_OWNER),
        of(
            "renewal of shared, condition on the owner dropped",
            SharedLeasePrograms.DEAD,
            RENEW,
            OWNER,
            ANY_OWNER),
        alone(
            "renewal of shared, condition on holding dropped",
            SharedLeasePrograms.WAITING,
            RENEW,
            "AND held = true",
            ""),
        alone(
            "renewal of shared, condition on the time dropped",
            SharedLeasePrograms.DEAD,
            RENEW,
            "AND expires_at > statement_timestamp()",
            ""),
        new Mutant(
            "renewal of shared, row count ignored",
            SharedLeasePrograms.DEAD,
            Mutation.none().counting(RENEW, 1),
            /* alone= */ true));
  }

  /** Each of these statements is about one name of one kind. */
  private static List<Mutant> keys() {
    return Stream.of(
            keyed("shared, lock", SharedLeasePrograms.FIRST, LOCK),
            keyed("shared, reading", SharedLeasePrograms.NEXT, ENTRIES),
            keyed("removing a place", SharedLeasePrograms.NEXT, REMOVE),
            keyed("taking away shared", SharedLeasePrograms.FORCED, REMOVE),
            keyed("queue, holding", SharedLeasePrograms.QUEUE_NEXT, HOLD),
            keyed("shared, holding", SharedLeasePrograms.NEXT, RAISE),
            keyed("staying in the queue", SharedLeasePrograms.FORCED_BESIDE, STAY),
            keyed("queue, mark", SharedLeasePrograms.FORCED_BESIDE, MARK),
            keyed("renewal of shared", SharedLeasePrograms.NEXT, RENEW))
        .flatMap(List::stream)
        .toList();
  }

  private static List<Mutant> keyed(String name, Program program, String within) {
    return List.of(
        alone(
            name + ", name dropped",
            program,
            within,
            "AND name = ?",
            "AND CAST(? AS text) IS NOT NULL"),
        alone(
            name + ", kind dropped",
            program,
            within,
            "AND kind = ?",
            "AND CAST(? AS int) IS NOT NULL"));
  }

  private static Mutant of(
      String name, Program program, String within, String text, String instead) {
    return new Mutant(name, program, Mutation.none().rewriting(within, text, instead));
  }

  private static Mutant alone(
      String name, Program program, String within, String text, String instead) {
    return new Mutant(
        name, program, Mutation.none().rewriting(within, text, instead), /* alone= */ true);
  }
}
