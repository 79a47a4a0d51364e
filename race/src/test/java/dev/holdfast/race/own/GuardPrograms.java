package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.CreateResult;
import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import dev.holdfast.race.ActorAction;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Guards of one row, as a user uses them: each looks first whether there is something to do, and
 * notes whether the guard has said that it was done by it.
 */
final class GuardPrograms {
  private static final String ITEM =
      "create table item (id int primary key, quantity int not null, version int not null default"
          + " 0, used_by varchar(10), status varchar(10), payment varchar(10))";

  private static final String ONE_ITEM =
      "insert into item (id, quantity, status) values (1, 1, 'PENDING')";

  /** Who was told that it was them. */
  private static final String WINNERS = "create table winners (who varchar(10) not null)";

  private static final String ONE_WINNER = "select count(*) = 1 from winners";

  static final Program VERSIONED =
      new Program(
          "a versioned update loses nobody's change",
          List.of(ITEM),
          (race, mutation) ->
              race.given(ONE_ITEM)
                  .actors(
                      2,
                      ds ->
                          Holdfast.create(mutation.over(ds))
                              .transactions()
                              .retrying(5)
                              .run(GuardPrograms::addOne)));

  static final Program VERSIONED_BY_THREE =
      contest(
          "of three who start from one version one is applied",
          3,
          "version = 0",
          (tx, who) ->
              Update.table("item").set("used_by", who).where("id", 1).version(0).apply(tx)
                  instanceof UpdateResult.Applied);

  static final Program EXPECTED =
      contest(
          "of two who expect a value one is applied",
          2,
          "status = 'PENDING'",
          (tx, who) ->
              Update.table("item")
                      .set("status", who)
                      .where("id", 1)
                      .expect("status", "PENDING")
                      .apply(tx)
                  instanceof UpdateResult.Applied);

  static final Program DECREASED =
      contest(
          "the last one is sold once",
          3,
          "quantity > 0",
          (tx, who) -> one().decrease("quantity", 1).apply(tx).changed());

  static final Program INCREASED =
      contest(
          "no more comes in than fits",
          3,
          "quantity < 2",
          (tx, who) -> one().increase("quantity", 1).upTo(2).apply(tx).changed());

  static final Program MARKED =
      contest(
          "a coupon is used once",
          3,
          "used_by is null",
          (tx, who) -> one().markOnce("used_by", who).apply(tx).changed());

  static final Program MOVED =
      contest(
          "an order leaves a state once",
          3,
          "status = 'PENDING'",
          (tx, who) -> one().transition("status", "PENDING", who).apply(tx).changed());

  /** The second comes from the state that the first has gone to. */
  static final Program REFERRED =
      contest(
          "a payment is not overwritten by another",
          2,
          "payment is null",
          (tx, who) ->
              one()
                  .transition("status", "PENDING", "BY_" + who)
                  .orFrom(who.equals("Ana") ? "BY_Ben" : "BY_Ana")
                  .reference("payment", who)
                  .apply(tx)
                  .changed());

  static final Program CREATED =
      new Program(
          "a row is created once",
          List.of(ITEM, WINNERS),
          (race, mutation) -> {
            for (String who : List.of("Ana", "Ben", "Cem")) {
              race.actor(
                  who,
                  winner(who, mutation, "select count(*) = 0 from item", GuardPrograms::create));
            }
            race.forbid(SqlError.UNIQUE_VIOLATION).invariant("one has created it", ONE_WINNER);
          });

  static final List<Program> ALL =
      List.of(
          VERSIONED,
          VERSIONED_BY_THREE,
          EXPECTED,
          DECREASED,
          INCREASED,
          MARKED,
          MOVED,
          REFERRED,
          CREATED);

  private GuardPrograms() {}

  /** A guard that says whether it was this caller. */
  private interface GuardRejections {
    boolean by(Transaction tx, String who) throws SQLException;
  }

  private static Program contest(String name, int actors, String look, GuardRejections guarded) {
    return new Program(
        name,
        List.of(ITEM, WINNERS),
        (race, mutation) -> {
          race.given(ONE_ITEM).invariant("it was one", ONE_WINNER);
          for (String who : List.of("Ana", "Ben", "Cem").subList(0, actors)) {
            race.actor(
                who, winner(who, mutation, "select " + look + " from item where id = 1", guarded));
          }
        });
  }

  private static ActorAction winner(
      String who, Mutation mutation, String look, GuardRejections guarded) {
    return ds ->
        Holdfast.create(mutation.over(who, ds))
            .transactions()
            .<SQLException>run(
                tx -> {
                  if (answers(tx, look) && guarded.by(tx, who)) {
                    note(tx, who);
                  }
                });
  }

  private static boolean answers(Transaction tx, String look) throws SQLException {
    try (PreparedStatement statement = tx.connection().prepareStatement(look);
        ResultSet row = statement.executeQuery()) {
      return row.next() && row.getBoolean(1);
    }
  }

  private static void note(Transaction tx, String who) throws SQLException {
    try (PreparedStatement statement =
        tx.connection().prepareStatement("insert into winners values (?)")) {
      statement.setString(1, who);
      statement.executeUpdate();
    }
  }

  /** Reads, and writes what it makes of it where nobody else has written. */
  private static void addOne(Transaction tx) throws SQLException {
    try (PreparedStatement read =
            tx.connection().prepareStatement("select quantity, version from item where id = 1");
        ResultSet row = read.executeQuery()) {
      row.next();
      Update.table("item")
          .set("quantity", row.getInt(1) + 1)
          .where("id", 1)
          .version(row.getInt(2))
          .applyOrThrow(tx);
    }
  }

  private static ConditionalUpdate one() {
    return ConditionalUpdate.table("item").where("id", 1);
  }

  private static boolean create(Transaction tx, String who) {
    return CreateIfAbsent.table("item")
            .key("id", 1)
            .set("quantity", 1)
            .set("used_by", who)
            .apply(tx)
        instanceof CreateResult.Created;
  }
}
