package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventChange;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.InstanceRecord;
import dev.holdfast.event.QueueLimit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where events are kept. Every change is conditional, and says what it has changed. Works on the
 * connection that it is given and neither commits nor rolls back. Thread-safe.
 */
public interface EventStore {
  /**
   * Whether {@link #claim}, {@link #end}, {@link #putBack}, {@link #rescue} and those about the
   * instance are one statement each, so that they need no transaction around them.
   */
  boolean stepsAreStatements();

  /** Limits that all instances keep. */
  LimitStatements limits();

  /** How instances tell each other that there is something to do. */
  NotificationSupport signals();

  /** Stores events without keys; answers their ids in the given order. */
  List<Long> insert(Connection connection, int shard, List<NewEvent> events) throws SQLException;

  /** Stores an event if its key is free; waits for others who are about to take it. */
  OptionalLong insertKeyed(Connection connection, int shard, NewEvent event, String fingerprint)
      throws SQLException;

  /** Gives the key of an event that nobody knows any more to this new one. */
  OptionalLong takeOver(
      Connection connection, int shard, NewEvent event, String fingerprint, long formerId)
      throws SQLException;

  Optional<KeyOwner> takenKey(Connection connection, int shard, String key) throws SQLException;

  /**
   * Up to a page of events of a shard whose number is below {@code before}, the newest first.
   *
   * @param notReplayed whether those that were replayed are left out
   */
  List<EventRecord> search(
      Connection connection, int shard, EventFilter filter, long before, boolean notReplayed)
      throws SQLException;

  /** An event, live or ended. */
  Optional<EventRecord> find(Connection connection, int shard, long id) throws SQLException;

  /** Those of these events that are known, live or ended, in any order. */
  List<EventRecord> findAll(Connection connection, int shard, Collection<Long> ids)
      throws SQLException;

  /**
   * Stores the repetitions of ended events that were not replayed yet, and notes them there; waits
   * for others who are about to. Leaves out those that were replayed or are forgotten.
   *
   * @param repetitions without keys, by the number of the event that each repeats
   * @return the number of each repetition, by the number of the event that it repeats
   */
  Map<Long, Long> replay(Connection connection, int shard, Map<Long, NewEvent> repetitions)
      throws SQLException;

  /**
   * Makes a pending event this one; answers its new version, or nothing where it is not pending.
   */
  OptionalInt replace(Connection connection, int shard, long id, NewEvent event, String fingerprint)
      throws SQLException;

  /** Claims due events, in the order in which they are to be begun. */
  List<ClaimedEvent> claim(Connection connection, ClaimRequest claim, ClaimCursor bounds)
      throws SQLException;

  /**
   * Claims the first of each of these ordering keys, where it is due, not behind the bounds, and
   * none of its key runs. Costs the same however many events of the key wait.
   */
  List<ClaimedEvent> claimFirst(
      Connection connection, ClaimRequest claim, List<String> orderingKeys, ClaimCursor before)
      throws SQLException;

  /**
   * Claims in one statement where this limit leaves several times as many, else nothing; takes the
   * whole of what is wanted from the limit. Empty where this store cannot.
   */
  default Optional<List<ClaimedEvent>> claimUnder(
      Connection connection, ClaimRequest claim, ClaimCursor bounds, QueueLimit limit)
      throws SQLException {
    return Optional.empty();
  }

  /**
   * How long it is until the next event of a queue is due; empty for none. Counts those that are
   * not due yet, and those that have come due within {@code lookBack}, for which the answer is
   * negative.
   */
  Optional<Duration> nextDue(Connection connection, int shard, String queue, Duration lookBack)
      throws SQLException;

  /**
   * Ends claimed events; answers the ids of those that were still this claim's. As a step of its
   * own, as {@link #putBack} is, it waits no longer than {@link LimitStatements#MAX_WAIT} for a
   * lock.
   */
  Set<Long> end(Connection connection, int shard, Collection<CompletionUpdate> endings)
      throws SQLException;

  /**
   * Notes that the handler of a claimed event is about to be called; false where it is not this
   * claim's any more. What was never begun does not fail by the death of instances.
   */
  boolean begin(Connection connection, int shard, long id, int version) throws SQLException;

  /** Puts claimed events back; answers the ids of those that were still this claim's. */
  Set<Long> putBack(Connection connection, int shard, Collection<Requeue> events)
      throws SQLException;

  /**
   * Changes a pending event of this version, and of this type where one is given; null leaves what
   * it has. Answers whether it did.
   */
  boolean change(
      Connection connection,
      int shard,
      long id,
      int version,
      EventChange wanted,
      @Nullable String type,
      @Nullable StoredPayload payload)
      throws SQLException;

  /** Ends a pending event of this version as cancelled. */
  boolean cancelPending(Connection connection, int shard, long id, int version, String reason)
      throws SQLException;

  /** Asks the handler of a running event of this version to stop. Does not change the version. */
  boolean requestCancel(Connection connection, int shard, long id, int version) throws SQLException;

  /** Which of these events are asked to stop. */
  Set<Long> cancelRequested(Connection connection, int shard, Collection<Long> ids)
      throws SQLException;

  /** The events of a queue that an instance has, by id, and their versions. */
  Map<Long, Integer> owned(Connection connection, int shard, String queue, long owner)
      throws SQLException;

  /** Registers an instance that lives for {@code lease} from now on. */
  long register(Connection connection, String name, Duration lease) throws SQLException;

  /** Lets an instance live on; false where it was too late. */
  boolean renew(Connection connection, long instance, Duration lease) throws SQLException;

  /** Ends the lease of an instance. */
  void release(Connection connection, long instance) throws SQLException;

  /** The instances that were not stopped, the oldest first. */
  List<InstanceRecord> instances(Connection connection) throws SQLException;

  /** The instances whose lease has run out. */
  List<Long> expired(Connection connection) throws SQLException;

  /**
   * Takes up to {@code most} events from instances whose lease has run out, and answers how many.
   * The version grows, so that an instance that comes back can change nothing. They keep their
   * place in the queue. The first crash of an event counts, and each further one after {@link
   * #begin}. One that was surely not begun gets its attempt back.
   */
  int rescue(Connection connection, int shard, Collection<Long> expired, int most)
      throws SQLException;

  /**
   * Takes back the crashes that {@link #rescue} has counted for these claims, whose instance is
   * alive: as long as nothing has happened to the event since but another claim.
   */
  void uncountCrashes(Connection connection, int shard, Collection<ClaimedEvent> claims)
      throws SQLException;

  /**
   * Whether an earlier claim noted {@link #begin}, and was then ended by {@link #rescue}, and no
   * later one has noted it again.
   */
  boolean crashedAfterBegin(Connection connection, int shard, long id, int version)
      throws SQLException;

  /** Forgets instances that expired long ago and have nothing in their hands. */
  int forgetInstances(Connection connection, int shards, Duration longAgo) throws SQLException;

  /** The history by days, where this database keeps it so. */
  HistoryPartitions historyDays();

  /**
   * Deletes up to {@code most} events that ended longer ago than {@code kept}, of those that are
   * not kept by days.
   */
  int forgetEnded(Connection connection, int shard, Duration kept, int most) throws SQLException;

  /**
   * Deletes keys whose event is neither live nor ended any more, of up to {@code most} that come
   * behind this one. An event that ended within the time that is {@code kept} must still be there.
   */
  PrunedKeys forgetKeys(Connection connection, int shard, String after, Duration kept, int most)
      throws SQLException;

  /** What is paused, and what is limited. */
  QueueControls queueControls(Connection connection) throws SQLException;

  /** Pauses; answers whether it was not paused before. */
  boolean pause(Connection connection, String kind, String name) throws SQLException;

  /** Resumes; answers whether it was paused before. */
  boolean resume(Connection connection, String kind, String name) throws SQLException;
}
