package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.model.Outcome.Effect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Looks whether the invariants hold. */
public final class Invariants {
  private static final ThreadLocal<List<Effect>> EFFECTS = ThreadLocal.withInitial(List::of);

  private Invariants() {}

  /** The names of those that do not hold. */
  static List<String> broken(Task task, Database database, List<Effect> effects)
      throws SQLException {
    List<String> broken = new ArrayList<>();
    EFFECTS.set(effects);
    try {
      for (Task.Invariant invariant : task.invariants()) {
        if (!holds(invariant, database.control())) {
          broken.add(invariant.name());
        }
      }
    } finally {
      EFFECTS.remove();
    }
    return broken;
  }

  private static boolean holds(Task.Invariant invariant, Connection connection) {
    try {
      return invariant.check().holds(connection);
    } catch (Unexplorable wrong) {
      throw wrong;
    } catch (AssertionError refused) {
      return false;
    } catch (Exception failed) {
      throw new Unexplorable(
          "the invariant '" + invariant.name() + "' cannot be checked: " + failed.getMessage(),
          failed);
    }
  }

  /** How often an effect was counted in the run that is looked at. */
  public static long count(String effect) {
    return EFFECTS.get().stream().filter(made -> made.name().equals(effect)).count();
  }

  /** That a query answers with true, in all its rows. */
  public static Task.Check sql(String name, String sql) {
    return connection -> {
      try (Statement statement = connection.createStatement()) {
        if (!statement.execute(sql)) {
          throw new Unexplorable(
              "the invariant '"
                  + name
                  + "' must be a query that returns true or false, was "
                  + sql);
        }
        ResultSet rows = statement.getResultSet();
        boolean holds = true;
        int count = 0;
        while (rows.next()) {
          count++;
          holds &= isTrue(name, rows.getObject(1));
        }
        if (count == 0) {
          throw new Unexplorable(
              "the invariant '"
                  + name
                  + "' must be a query that returns true or false, but it has no rows; begin it"
                  + " with select count(*) = … or select exists (…)");
        }
        return holds;
      } catch (SQLException failed) {
        throw new Unexplorable(
            "the invariant '"
                + name
                + "' cannot be checked: "
                + failed.getMessage()
                + "; it is "
                + sql,
            failed);
      }
    };
  }

  private static boolean isTrue(String name, @org.jspecify.annotations.Nullable Object value) {
    if (value instanceof Boolean truth) {
      return truth;
    }
    if (value instanceof Number number
        && (number.doubleValue() == 0 || number.doubleValue() == 1)) {
      return number.doubleValue() == 1;
    }
    throw new Unexplorable(
        "the invariant '"
            + name
            + "' must return true or false, but it returned "
            + value
            + "; compare in the query, as in select count(*) <= 1 from …");
  }
}
