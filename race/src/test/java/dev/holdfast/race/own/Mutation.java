package dev.holdfast.race.own;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What a careless edit would make of Holdfast's statements: other texts, or an update count that is
 * not looked at. Stands between Holdfast and the data source of an actor, so that the race finder
 * sees what is really sent. Thread-safe.
 */
final class Mutation {
  private static final int ANY = -1;

  /** What JDBC says of the count where there is none, or no further one. */
  private static final Integer NO_ROWS = -1;

  /** In statements that contain {@code within}: a text instead of another, or a count. */
  private record Edit(String within, String text, String instead, int count) {
    boolean isOf(String sql) {
      return sql.contains(within) && (count != ANY || sql.contains(text));
    }
  }

  private final List<Edit> edits;
  private final @Nullable String actor;
  private final Set<Edit> made;

  private Mutation(List<Edit> edits, @Nullable String actor, Set<Edit> made) {
    this.edits = edits;
    this.actor = actor;
    this.made = made;
  }

  /** Holdfast as it is. */
  static Mutation none() {
    return new Mutation(List.of(), null, ConcurrentHashMap.newKeySet());
  }

  /** Statements that contain a text have another one in its place. */
  Mutation rewriting(String within, String text, String instead) {
    return with(new Edit(within, text, instead, ANY));
  }

  /** Statements that contain a text are said to have changed so many rows. */
  Mutation counting(String within, int count) {
    return with(new Edit(within, "", "", count));
  }

  /** In the hands of one actor only. */
  Mutation onlyOf(String name) {
    return new Mutation(edits, name, made);
  }

  private Mutation with(Edit edit) {
    List<Edit> more = new ArrayList<>(edits);
    more.add(edit);
    return new Mutation(more, actor, made);
  }

  /** Those of its edits that no statement has met. */
  List<String> notMade() {
    return edits.stream().filter(edit -> !made.contains(edit)).map(Edit::toString).toList();
  }

  DataSource over(DataSource dataSource) {
    return over("", dataSource);
  }

  /** The data source of this actor. */
  DataSource over(String of, DataSource dataSource) {
    return edits.isEmpty() || (actor != null && !actor.equals(of))
        ? dataSource
        : proxy(DataSource.class, dataSource);
  }

  private <T> T proxy(Class<T> type, T real) {
    InvocationHandler handler =
        (self, method, given) -> {
          if (method.getName().equals("prepareStatement") && given != null) {
            return prepared((Connection) real, method, given);
          }
          Object answer = invoke(real, method, given);
          return answer instanceof Connection connection && real instanceof DataSource
              ? proxy(Connection.class, connection)
              : answer;
        };
    return type.cast(
        Proxy.newProxyInstance(Mutation.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private @Nullable Object prepared(Connection connection, Method method, Object[] given)
      throws Throwable {
    Object[] changed = given.clone();
    String sql = (String) given[0];
    int count = ANY;
    for (Edit edit : edits) {
      if (edit.isOf((String) given[0])) {
        made.add(edit);
        count = edit.count == ANY ? count : edit.count;
        sql = edit.count == ANY ? sql.replace(edit.text, edit.instead) : sql;
      }
    }
    changed[0] = sql;
    Object statement = invoke(connection, method, changed);
    return count == ANY || statement == null ? statement : counting(statement, count);
  }

  private static Object counting(Object statement, int count) {
    return Proxy.newProxyInstance(
        Mutation.class.getClassLoader(),
        new Class<?>[] {PreparedStatement.class},
        (self, method, given) -> {
          Object answer = invoke(statement, method, given);
          boolean rows =
              method.getName().equals("executeUpdate")
                  || (method.getName().equals("getUpdateCount") && !NO_ROWS.equals(answer));
          return rows ? count : answer;
        });
  }

  private static @Nullable Object invoke(Object real, Method method, Object @Nullable [] given)
      throws Throwable {
    try {
      return method.invoke(real, given);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
