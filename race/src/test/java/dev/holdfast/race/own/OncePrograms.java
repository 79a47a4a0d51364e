package dev.holdfast.race.own;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import dev.holdfast.internal.idempotency.TransactionalIdempotencyStore.CompletionRequest;
import dev.holdfast.internal.idempotency.TransactionalIdempotencyStore.StartRequest;
import dev.holdfast.race.Race;
import dev.holdfast.race.own.RecordTables.Row;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** Requests whose record is in the transaction of what they change. */
final class OncePrograms {
  private static final String ONE_ORDER = "select count(*) = 1 from orders";
  private static final String NO_ORDER = "select count(*) = 0 from orders";
  private static final String RECORD = " from holdfast_idempotency where idempotency_key = 'key'";

  static final Program SAME =
      new Program(
          "a request that comes twice takes effect once, and both are told the same",
          RecordTables::make,
          (race, mutation) -> both(told(race, 2), mutation).invariant("one order", ONE_ORDER));

  static final Program THREE =
      new Program(
          "a request that comes three times takes effect once",
          RecordTables::make,
          (race, mutation) ->
              both(told(race, 3), mutation)
                  .actor("Cem", ds -> once("Cem", mutation, ds, RecordTables.PAYLOAD))
                  .maxPreemptions(2)
                  .invariant("one order", ONE_ORDER));

  static final Program AT_ONCE =
      new Program(
          "who does not wait is told that it is in progress, and nothing is done twice",
          RecordTables::make,
          (race, mutation) ->
              told(race, 2)
                  .actor("Ana", ds -> atOnce("Ana", mutation, ds))
                  .actor("Ben", ds -> atOnce("Ben", mutation, ds))
                  .invariant("one order", ONE_ORDER));

  static final Program ROLLED_BACK =
      new Program(
          "a request that fails leaves nothing, and the next one takes effect",
          RecordTables::make,
          (race, mutation) ->
              told(race, 1)
                  .actor("Ana", ds -> failing("Ana", mutation, ds))
                  .actor("Ben", ds -> once("Ben", mutation, ds, RecordTables.PAYLOAD))
                  .invariant("one order", ONE_ORDER)
                  .invariant("of Ben", "select who = 'Ben' from orders"));

  static final Program OTHER_PAYLOAD =
      new Program(
          "of two payloads with one key one takes effect",
          RecordTables::make,
          (race, mutation) ->
              told(race, 2)
                  .actor("Ana", ds -> once("Ana", mutation, ds, RecordTables.PAYLOAD))
                  .actor("Ben", ds -> once("Ben", mutation, ds, RecordTables.OTHER))
                  .invariant("one order", ONE_ORDER)
                  .invariant(
                      "the other one is told",
                      "select count(*) = 1 from notes where what = 'mismatch'"));

  static final Program REFUSED =
      new Program(
          "a refusal does not overwrite what took effect meanwhile",
          RecordTables::make,
          (race, mutation) ->
              told(race, 2)
                  .actor("Ana", ds -> refusing("Ana", mutation, ds))
                  .actor(
                      "Ben",
                      ds -> {
                        try {
                          once("Ben", mutation, ds, RecordTables.PAYLOAD);
                        } catch (RejectedException e) {
                          new RecordActor("Ben", mutation, ds).note("told no");
                        }
                      })
                  .invariant(
                      "an order unless it was refused",
                      "select (select count(*) from orders) = count(distinct what) from notes where"
                          + " what = 'told Ben'"));

  static final Program EXPIRED =
      new Program(
          "a key whose time is over is new again, for one",
          RecordTables::make,
          (race, mutation) ->
              both(told(race, 2).given(Row.doneUntil(RecordTables.PAST)), mutation)
                  .given(Row.doneUntil(RecordTables.PAST).of("old"))
                  .invariant("one order", ONE_ORDER)
                  .invariant("nobody is told the old answer", toldOld("= 0"))
                  .invariant(
                      "another old one is left alone",
                      "select count(*) = 1 from holdfast_idempotency where idempotency_key = 'old'"
                          + " and completed"));

  static final Program REPLAYED_BESIDE_CLEAN_UP =
      new Program(
          "what is still kept is told, whoever cleans up",
          RecordTables::make,
          (race, mutation) ->
              told(race, 1)
                  .given(Row.doneUntil(RecordTables.FUTURE))
                  .given(Row.doneUntil(RecordTables.PAST).of("old"))
                  .given(Row.claimed("Dead", RecordTables.PAST).kept(RecordTables.PAST).of("old2"))
                  .given(
                      Row.claimed("Dead", RecordTables.FUTURE)
                          .lockReleasedBy()
                          .kept(RecordTables.PAST)
                          .of("old3"))
                  .given(
                      Row.claimed("Dead", RecordTables.FUTURE)
                          .flow("flow")
                          .done("x")
                          .kept(RecordTables.PAST)
                          .of("old4"))
                  .given(Row.claimed("Dead", null).kept(RecordTables.PAST).of("old5"))
                  .given(
                      Row.claimed("Ana", RecordTables.FUTURE).kept(RecordTables.PAST).of("stays1"))
                  .given(
                      Row.claimed("Dead", RecordTables.PAST)
                          .flow("flow")
                          .kept(RecordTables.PAST)
                          .of("stays2"))
                  .actor("Ana", ds -> once("Ana", mutation, ds, RecordTables.PAYLOAD))
                  .actor("Ben", ds -> cleanUp("Ben", mutation, ds))
                  .invariant("no order", NO_ORDER)
                  .invariant("the old answer", toldOld("= 1"))
                  .invariant(
                      "what is over goes, what somebody needs stays",
                      "select count(*) = 2 from holdfast_idempotency where idempotency_key like"
                          + " 'old%' or idempotency_key like 'stays%'"));

  static final Program EXPIRED_BESIDE_CLEAN_UP =
      new Program(
          "what is new again is not cleaned up",
          RecordTables::make,
          (race, mutation) ->
              told(race, 1)
                  .given(Row.doneUntil(RecordTables.PAST))
                  .actor("Ana", ds -> once("Ana", mutation, ds, RecordTables.PAYLOAD))
                  .actor("Ben", ds -> cleanUp("Ben", mutation, ds))
                  .invariant("one order", ONE_ORDER)
                  .invariant("its record is kept", "select count(*) = 1" + RECORD));

  static final Program JOINED =
      new Program(
          "a request in the transaction of its caller takes effect once",
          RecordTables::make,
          (race, mutation) ->
              told(race, 2)
                  .actor("Ana", ds -> join("Ana", mutation, ds, false))
                  .actor("Ben", ds -> join("Ben", mutation, ds, false))
                  .invariant("one order", ONE_ORDER));

  static final Program JOINED_AND_ROLLED_BACK =
      new Program(
          "a request whose caller rolls back leaves nothing",
          RecordTables::make,
          (race, mutation) ->
              told(race, 1)
                  .actor("Ana", ds -> join("Ana", mutation, ds, true))
                  .actor("Ben", ds -> join("Ben", mutation, ds, false))
                  .invariant("one order", ONE_ORDER)
                  .invariant("of Ben", "select who = 'Ben' from orders"));

  static final Program TAKEN_OVER =
      new Program(
          "a claim that has run out is taken over by one transaction",
          RecordTables::make,
          (race, mutation) ->
              both(told(race, 2).given(Row.claimed("Dead", RecordTables.PAST)), mutation)
                  .invariant("one order", ONE_ORDER)
                  .invariant("nobody can go on with it", "select completed = true" + RECORD));

  static final Program TAKEN_OVER_BESIDE_CLAIM =
      new Program(
          "a claim that has run out is taken over by a transaction or by another claim",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(Row.claimed("Dead", RecordTables.PAST))
                  .actor("Ana", ds -> atOnce("Ana", mutation, ds))
                  .actor("Ben", ds -> new RecordActor("Ben", mutation, ds).work())
                  .invariant(
                      "one of them",
                      RecordTables.unlessBusy(
                          "select (select count(*) from orders) + (select times from work) = 1"))
                  .invariant(
                      "not both",
                      "select (select count(*) from orders) + (select times from work) <= 1"));

  static final Program ANSWERED =
      new Program(
          "only who has begun a record in a transaction answers it, and once",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(Row.claimed("Ana", RecordTables.FUTURE).of("claim"))
                  .actor("Ana", ds -> answerTwice(new RecordActor("Ana", mutation, ds)))
                  .actor("Ben", ds -> cleanUp("Ben", mutation, ds))
                  .invariant("its answer", "select count(*) = 1" + RECORD + " and completed = true")
                  .invariant(
                      "the first one",
                      "select count(*) = 0 from notes where what like 'told %' and what <> 'told"
                          + " Ana'"));

  /** Where those who do not wait are answered at once, which is not so on H2. */
  static final List<Program> WITHOUT_WAITING = List.of(AT_ONCE, TAKEN_OVER_BESIDE_CLAIM);

  static final List<Program> ALL =
      List.of(
          SAME,
          THREE,
          ROLLED_BACK,
          OTHER_PAYLOAD,
          REFUSED,
          EXPIRED,
          REPLAYED_BESIDE_CLEAN_UP,
          EXPIRED_BESIDE_CLEAN_UP,
          JOINED,
          JOINED_AND_ROLLED_BACK,
          TAKEN_OVER,
          ANSWERED);

  private OncePrograms() {}

  /** So many have got something to tell, and all answers are the same. */
  private static Race told(Race race, int count) {
    return RecordTables.beside(race)
        .invariant(
            "all are told the same",
            "select count(distinct what) = 1 from notes where what like 'told %'")
        .invariant("all are told something", "select count(*) = " + count + " from notes");
  }

  private static String toldOld(String count) {
    return "select count(*) " + count + " from notes where what = 'told " + RecordTables.OLD + "'";
  }

  private static Race both(Race race, Mutation mutation) {
    return race.actor("Ana", ds -> once("Ana", mutation, ds, RecordTables.PAYLOAD))
        .actor("Ben", ds -> once("Ben", mutation, ds, RecordTables.PAYLOAD));
  }

  private static void once(
      String who, Mutation mutation, DataSource dataSource, Fingerprint fingerprint)
      throws SQLException {
    RecordActor hands = new RecordActor(who, mutation, dataSource);
    hands.noteResult(
        hands
            .idempotency()
            .execute(
                IdempotencyRequest.of(RecordTables.KEY, ReplyCodecs.text())
                    .fingerprint(fingerprint),
                hands::order));
  }

  private static void atOnce(String who, Mutation mutation, DataSource dataSource)
      throws SQLException {
    RecordActor hands = new RecordActor(who, mutation, dataSource);
    hands.noteResult(
        hands
            .idempotency()
            .execute(
                IdempotencyRequest.of(RecordTables.KEY, ReplyCodecs.text())
                    .fingerprint(RecordTables.PAYLOAD)
                    .waitTimeout(Duration.ZERO),
                hands::order));
  }

  /** Thrown by work that fails. */
  private static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static void failing(String who, Mutation mutation, DataSource dataSource)
      throws SQLException {
    RecordActor hands = new RecordActor(who, mutation, dataSource);
    try {
      hands
          .idempotency()
          .execute(
              IdempotencyRequest.of(RecordTables.KEY, ReplyCodecs.text())
                  .fingerprint(RecordTables.PAYLOAD),
              tx -> {
                String unused = hands.order(tx);
                throw new Failed();
              });
    } catch (Failed e) {
      // and its order is gone
    }
  }

  private static void refusing(String who, Mutation mutation, DataSource dataSource)
      throws SQLException {
    RecordActor hands = new RecordActor(who, mutation, dataSource);
    try {
      hands.noteResult(
          hands
              .idempotency()
              .execute(
                  IdempotencyRequest.of(RecordTables.KEY, ReplyCodecs.text())
                      .fingerprint(RecordTables.PAYLOAD),
                  tx -> {
                    String unused = hands.order(tx);
                    throw new RejectedException(RecordTables.bytes("no"));
                  }));
    } catch (RejectedException e) {
      hands.note("told no");
    }
  }

  private static void join(String who, Mutation mutation, DataSource dataSource, boolean rollBack)
      throws SQLException {
    RecordActor hands = new RecordActor(who, mutation, dataSource);
    try {
      hands.noteResult(
          hands
              .holdfast
              .transactions()
              .call(
                  tx -> {
                    hands.look(tx);
                    var result =
                        hands
                            .idempotency()
                            .execute(
                                tx,
                                IdempotencyRequest.of(RecordTables.KEY, ReplyCodecs.text())
                                    .fingerprint(RecordTables.PAYLOAD),
                                hands::order);
                    if (rollBack) {
                      throw new Failed();
                    }
                    return result;
                  }));
    } catch (Failed e) {
      // and its order is gone
    }
  }

  private static void cleanUp(String who, Mutation mutation, DataSource dataSource) {
    int unused = new RecordActor(who, mutation, dataSource).store.deleteExpired(10);
  }

  /** Answers for somebody else, for a claim, and twice: none of these may have an effect. */
  private static void answerTwice(RecordActor ana) throws SQLException {
    boolean[] wrong = new boolean[1];
    boolean[] begun = new boolean[1];
    ana.holdfast
        .transactions()
        .run(
            tx -> {
              StartRequest start =
                  new StartRequest(
                      RecordTables.KEY,
                      RecordTables.PAYLOAD,
                      RecordTables.attempt("Ana"),
                      RecordActor.LONG,
                      Duration.ofMinutes(10));
              begun[0] = ana.store.begin(tx, start, true) instanceof ClaimResult.Granted;
              if (begun[0]) {
                CompletionRequest mine = completion(RecordTables.KEY, "Ana");
                CompletionRequest other = completion(RecordTables.KEY, "Nil");
                CompletionRequest claim = completion(RecordTables.key("claim"), "Ana");
                wrong[0] =
                    RecordPrograms.any(
                        ana.store.complete(tx, other, reply("Nil")),
                        ana.store.complete(tx, claim, reply("Nil")),
                        !ana.store.complete(tx, mine, reply("Ana")),
                        ana.store.complete(tx, mine, reply("again")));
              }
            });
    if (wrong[0]) {
      ana.note("had");
    }
    if (begun[0]) {
      ana.ask();
    }
  }

  private static CompletionRequest completion(IdempotencyKey key, String who) {
    return new CompletionRequest(key, RecordTables.attempt(who), RecordActor.LONG);
  }

  private static StoredResult reply(String text) {
    return new StoredResult(StoredResult.Kind.RESULT, RecordTables.bytes(text));
  }
}
