package dev.holdfast.race.own;

import dev.holdfast.event.QueueLimit;
import dev.holdfast.internal.event.store.ClaimCursor;
import dev.holdfast.internal.event.store.ClaimRequest;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.LimitedClaimTransaction;
import dev.holdfast.internal.event.store.ShardRoundRobin;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Claims that keep an order, or a limit. */
final class OrderPrograms {
  private static final String RUNNING = "1, 2, 3, 1";
  private static final String PENDING = "0, 1, null, 0";

  private static final QueueLimit LIMIT = QueueLimit.queue("q").maxConcurrency(1);

  /** The second may be claimed when the first has ended, so that its claim comes behind it. */
  static final Program IN_ORDER =
      new Program(
          "events of one ordering key are handled in their order",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 2)
                  .given(
                      EventTables.instances(),
                      EventTables.ordered(1, PENDING, 1),
                      EventTables.ordered(2, PENDING, 2))
                  .forbid(SqlError.UNIQUE_VIOLATION)
                  .actor("Ana", ds -> new EventActor("Ana", 1, mutation, ds).work(1))
                  .actor("Ben", ds -> new EventActor("Ben", 2, mutation, ds).work(1))
                  .invariant(
                      "the second after the first",
                      "select count(*) = 0 from holdfast_event_history where id = 2 and not exists"
                          + " (select 1 from holdfast_event_history where id = 1)"));

  /** The second was scheduled while the first was being handled, and for a time before it. */
  static final Program ONE_AT_A_TIME =
      new Program(
          "events of one ordering key are handled one at a time",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 2)
                  .given(
                      EventTables.instances(),
                      EventTables.ordered(1, RUNNING, 2),
                      EventTables.ordered(2, PENDING, 1))
                  .forbid(SqlError.UNIQUE_VIOLATION)
                  .actor("Ana", ds -> new EventActor("Ana", 1, mutation, ds).work(1))
                  .actor("Cem", ds -> new EventActor("Cem", 3, mutation, ds).end(1, 2)));

  static final Program FIRST_OF_KEY =
      new Program(
          "the next of an ordering key is claimed once",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 2)
                  .given(
                      EventTables.instances(),
                      EventTables.ordered(1, PENDING, 1),
                      EventTables.ordered(2, PENDING, 2))
                  .forbid(SqlError.UNIQUE_VIOLATION)
                  .actor("Ana", ds -> first(new EventActor("Ana", 1, mutation, ds), 1))
                  .actor("Ben", ds -> first(new EventActor("Ben", 2, mutation, ds), 2))
                  .actor("Cem", ds -> new EventActor("Cem", 3, mutation, ds).work(1)));

  static final Program LIMITED =
      new Program(
          "no more are handled at once than the limit says",
          EventTables::make,
          (race, mutation) ->
              race.given(
                      EventTables.instances(),
                      EventTables.pending(1),
                      EventTables.pending(2),
                      "insert into holdfast_limit (kind, name, most_running) values ('queue', 'q',"
                          + " 1)")
                  .actor("Ana", ds -> limited(new EventActor("Ana", 1, mutation, ds), 1, LIMIT, 1))
                  .actor("Ben", ds -> limited(new EventActor("Ben", 2, mutation, ds), 2, LIMIT, 1))
                  .invariant(
                      "one at a time", "select count(*) = 1 from holdfast_event where status = 1"));

  /** There is plenty for one claim, and not for two. */
  static final Program LIMITED_WITH_PLENTY =
      new Program(
          "a claim of plenty takes from what others have left",
          EventTables::make,
          (race, mutation) ->
              race.given(
                      EventTables.instances(),
                      EventTables.pending(1),
                      EventTables.pending(2),
                      "insert into holdfast_limit (kind, name, most_running, at_most, counted_at)"
                          + " values ('queue', 'q', 4, 0, timestamp '2037-01-01 00:00:00')")
                  .actor("Ana", ds -> plenty(new EventActor("Ana", 1, mutation, ds), 1))
                  .actor("Ben", ds -> plenty(new EventActor("Ben", 2, mutation, ds), 2))
                  .invariant(
                      "one of them", "select count(*) = 1 from holdfast_event where status = 1"));

  /** Ana's claim chooses by type, and Ben's does not know of the limit yet. */
  static final Program CHOSEN =
      new Program(
          "what a limit lets choose is claimed once",
          EventTables::make,
          (race, mutation) ->
              race.given(
                      EventTables.instances(),
                      EventTables.pending(1),
                      "insert into holdfast_limit (kind, name, most_running) values ('type', 't',"
                          + " 1)")
                  .actor(
                      "Ana",
                      ds ->
                          limited(
                              new EventActor("Ana", 1, mutation, ds),
                              1,
                              QueueLimit.type(KeyPrograms.TYPE).maxConcurrency(1),
                              2))
                  .actor("Ben", ds -> new EventActor("Ben", 2, mutation, ds).claim(1))
                  .invariant("once", "select version = 2 and attempts = 1 from holdfast_event"));

  static final List<Program> ALL =
      List.of(IN_ORDER, ONE_AT_A_TIME, FIRST_OF_KEY, LIMITED, CHOSEN, LIMITED_WITH_PLENTY);

  private OrderPrograms() {}

  private static void first(EventActor hands, long instance) throws SQLException {
    ClaimRequest claim = new ClaimRequest(0, "q", List.of("t"), 1, instance, null);
    List<ClaimedEvent> claimed =
        hands.step(
            connection -> {
              List<ClaimedEvent> all =
                  hands.store.claimFirst(connection, claim, List.of("k"), ClaimCursor.end());
              for (ClaimedEvent event : all) {
                hands.note(connection, "claimed", event.id(), event.version() - 1);
              }
              return all;
            });
    for (ClaimedEvent event : claimed) {
      hands.end(event.id(), event.version());
    }
  }

  private static void limited(EventActor hands, long instance, QueueLimit limit, int most)
      throws SQLException {
    hands.step(
        connection ->
            LimitedClaimTransaction.run(
                    hands.store,
                    connection,
                    List.of(limit),
                    new LimitedClaimTransaction.Wanted(
                        "q", List.of("t"), most, most, instance, Long.MAX_VALUE),
                    new ShardRoundRobin(1))
                .claimed());
  }

  private static void plenty(EventActor hands, long instance) throws SQLException {
    if (hands.step(OrderPrograms::isUnused)) {
      ClaimRequest claim = new ClaimRequest(0, "q", List.of("t"), 1, instance, null);
      hands.step(
          connection ->
              hands.store.claimUnder(
                  connection, claim, new ClaimCursor(), LIMIT.maxConcurrency(4)));
    }
  }

  private static boolean isUnused(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select at_most = 0 from holdfast_limit")) {
      return row.next() && row.getBoolean(1);
    }
  }
}
