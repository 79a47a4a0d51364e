package dev.holdfast.web.access;

import dev.holdfast.Holdfast;
import dev.holdfast.internal.Require;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tokens with which the service is used, kept in the database as hashes.
 *
 * <p>Guarantee: of any number of instances that start on a new database at once, one makes the
 * first token; a session ends with the token that it was begun with. Every call is a transaction of
 * its own. Immutable and thread-safe.
 */
public final class Tokens {
  private static final int MAX_NAME_LENGTH = 60;

  private final Holdfast holdfast;
  private final String table;
  private final String alive;

  private Tokens(Holdfast holdfast, String table) {
    this.holdfast = holdfast;
    this.table = table;
    this.alive = " (expires_at IS NULL OR expires_at > " + holdfast.dialect().now() + ")";
  }

  /**
   * Those of a database.
   *
   * @param schema the name of the schema of Holdfast's tables; null for the current one
   */
  public static Tokens of(Holdfast holdfast, @Nullable String schema) {
    Require.notNull(holdfast, "holdfast");
    String prefix = schema == null ? "" : holdfast.dialect().quote(schema) + ".";
    return new Tokens(holdfast, prefix + "holdfast_api_token");
  }

  /** Makes a token of this name where there is none at all. */
  public Optional<NewToken> makeFirst(String name) {
    return makeFirst(name, text -> {});
  }

  /**
   * Makes a token of this name where there is none at all.
   *
   * @param keep gets its text before the token is stored, so that a crash in between does not lose
   *     it; where the answer is empty, that text is of no use
   */
  public Optional<NewToken> makeFirst(String name, Consumer<String> keep) {
    Require.notNull(keep, "keep");
    if (!list().isEmpty()) {
      return Optional.empty();
    }
    Optional<NewToken> made = tryMake(requireName(name), null, null, keep);
    made.map(NewToken::record).ifPresent(Audit::made);
    return made;
  }

  /**
   * Makes a token.
   *
   * @throws dev.holdfast.InvalidArgumentException where the name is taken
   */
  public NewToken make(String name) {
    Optional<NewToken> made = tryMake(requireName(name), null, null);
    Require.that(made.isPresent(), () -> "the name of a token must be new, '" + name + "' is not");
    Audit.made(made.orElseThrow().record());
    return made.orElseThrow();
  }

  /** Makes a session of this token, which ends by itself after some time. */
  NewToken beginSession(TokenRecord by, Duration length) {
    forgetEnded();
    return tryMake(null, by.id(), length).orElseThrow();
  }

  /** Those that are no sessions, by name. */
  public List<TokenRecord> list() {
    return query(
        "SELECT id, name, hash, parent_id FROM "
            + table
            + " WHERE parent_id IS NULL ORDER BY name");
  }

  /** Ends a token of this id, and all its sessions; false where there is none. */
  public boolean revoke(String id) {
    boolean revoked = end(id);
    if (revoked) {
      Audit.revoked(id);
    }
    return revoked;
  }

  /** Ends a token or a session; false where there is none. */
  boolean end(String id) {
    return change("DELETE FROM " + table + " WHERE id = ? OR parent_id = ?", id, id) > 0;
  }

  /** The token of this text, if it is valid now. */
  public Optional<TokenRecord> verify(String text) {
    Optional<String> id = TokenText.id(text);
    if (id.isEmpty()) {
      return Optional.empty();
    }
    // a session has the name of its token; and it is none where that was revoked while it was made
    String sql =
        "SELECT id, COALESCE((SELECT parent.name FROM %1$s parent WHERE parent.id = token.parent_id), token.name), hash, parent_id FROM %1$s token WHERE id = ? AND %2$s AND (parent_id IS NULL OR EXISTS (SELECT 1 FROM %1$s parent WHERE parent.id = token.parent_id))"
            .formatted(table, alive);
    return run(
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, id.get());
            try (ResultSet row = statement.executeQuery()) {
              return row.next() && TokenText.isSame(row.getString(3), TokenText.hash(text))
                  ? Optional.of(read(row))
                  : Optional.<TokenRecord>empty();
            }
          }
        });
  }

  /** The ids of all tokens and sessions that are valid now. */
  Set<String> validIds() {
    return Set.copyOf(
        query(
                "SELECT id, name, hash, parent_id FROM %1$s token WHERE %2$s AND (parent_id IS NULL OR EXISTS (SELECT 1 FROM %1$s parent WHERE parent.id = token.parent_id))"
                    .formatted(table, alive))
            .stream()
            .map(TokenRecord::id)
            .toList());
  }

  private void forgetEnded() {
    change("DELETE FROM " + table + " WHERE NOT" + alive);
  }

  private Optional<NewToken> tryMake(
      @Nullable String name, @Nullable String parentId, @Nullable Duration length) {
    return tryMake(name, parentId, length, text -> {});
  }

  /** Empty where the name is taken. */
  private Optional<NewToken> tryMake(
      @Nullable String name,
      @Nullable String parentId,
      @Nullable Duration length,
      Consumer<String> keep) {
    String id = NewToken.randomId();
    String text = NewToken.text(id);
    keep.accept(text);
    TokenRecord made = new TokenRecord(id, name == null ? "session " + id : name, parentId);
    String expires = length == null ? "NULL" : holdfast.dialect().nowPlusMicroseconds();
    String sql =
        "INSERT INTO %s (id, name, hash, parent_id, created_at, expires_at) VALUES (?, ?, ?, ?, %s, %s)"
            .formatted(table, holdfast.dialect().now(), expires);
    try {
      run(
          connection -> {
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
              insert.setString(1, id);
              insert.setString(2, made.name());
              insert.setString(3, TokenText.hash(text));
              insert.setString(4, parentId);
              if (length != null) {
                insert.setLong(5, TimeUnit.MICROSECONDS.convert(length));
              }
              return insert.executeUpdate();
            }
          });
      return Optional.of(new NewToken(text, made));
    } catch (DatabaseException e) {
      if (e.error() == SqlError.UNIQUE_VIOLATION) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private List<TokenRecord> query(String sql) {
    return run(
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql);
              ResultSet row = statement.executeQuery()) {
            List<TokenRecord> all = new ArrayList<>();
            while (row.next()) {
              all.add(read(row));
            }
            return all;
          }
        });
  }

  private int change(String sql, String... values) {
    return run(
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
              statement.setString(i + 1, values[i]);
            }
            return statement.executeUpdate();
          }
        });
  }

  private static TokenRecord read(ResultSet row) throws SQLException {
    return new TokenRecord(row.getString(1), row.getString(2), row.getString(4));
  }

  private static String requireName(String name) {
    Require.notBlank(name, "the name of a token");
    Require.between(name.length(), 1, MAX_NAME_LENGTH, "the length of the name of a token");
    return name;
  }

  private interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  private <T> T run(Statements<T> statements) {
    return holdfast
        .transactions()
        .requiresNew()
        .<T, RuntimeException>call(
            tx -> {
              try {
                return statements.run(tx.connection());
              } catch (SQLException e) {
                throw new DatabaseException("reading or changing tokens", e);
              }
            });
  }
}
