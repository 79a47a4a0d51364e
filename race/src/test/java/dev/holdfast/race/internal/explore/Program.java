package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.run.ActorSpec;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A small program: what each actor does, as texts. {@code begin} and {@code commit} are a
 * transaction's, {@code :last} is the number that the last query has answered; what an actor has
 * read is its result.
 *
 * @param same whether the actors are interchangeable, as all do the first one's statements
 * @param crashes whether the first actor may crash
 */
record Program(String name, boolean same, boolean crashes, List<List<String>> actors) {

  @SafeVarargs
  @SuppressWarnings("varargs") // only read
  static Program of(String name, List<String>... actors) {
    return new Program(name, false, false, List.of(actors));
  }

  static Program copies(String name, int count, String... statements) {
    return new Program(name, true, false, Collections.nCopies(count, List.of(statements)));
  }

  /** Likewise, and the first actor may crash, and is run again. */
  Program crashing() {
    return new Program(name + ", with a crash", false, true, actors);
  }

  List<ActorSpec> specs() {
    List<ActorSpec> specs = new ArrayList<>();
    for (List<String> statements : actors) {
      int kind = same ? 0 : specs.size();
      specs.add(
          new ActorSpec(
              String.valueOf((char) ('A' + specs.size())),
              dataSource -> run(dataSource, statements),
              true,
              kind,
              crashes && specs.isEmpty()));
    }
    return specs;
  }

  private static @Nullable Object run(DataSource dataSource, List<String> statements)
      throws SQLException {
    List<String> read = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      String last = "0";
      for (String text : statements) {
        switch (text) {
          case "begin" -> connection.setAutoCommit(false);
          case "commit" -> {
            connection.commit();
            connection.setAutoCommit(true);
          }
          case "rollback" -> {
            connection.rollback();
            connection.setAutoCommit(true);
          }
          default -> last = make(statement, text.replace(":last", last), last, read);
        }
      }
    }
    return read.toString();
  }

  private static String make(Statement statement, String sql, String last, List<String> read)
      throws SQLException {
    if (!statement.execute(sql)) {
      read.add(statement.getUpdateCount() + " rows");
      return last;
    }
    try (ResultSet rows = statement.getResultSet()) {
      String first = last;
      for (boolean one = true; rows.next(); one = false) {
        String value = rows.getString(1);
        read.add(value);
        first = one ? value : first;
      }
      return first;
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
