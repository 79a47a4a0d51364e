package dev.holdfast.schema;

import dev.holdfast.HoldfastException;
import dev.holdfast.transaction.SqlError;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Holdfast cannot work with its schema, or cannot migrate it. The code is {@code schema-} and the
 * name of the reason, such as {@code schema-outdated}.
 */
public final class SchemaException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /** What is wrong with the schema, or keeps it from being migrated. */
  public enum Reason {
    /** Holdfast's tables do not exist. {@code migrate()} creates them. */
    MISSING,
    /** Some migrations have not run yet. {@code migrate()} runs them. */
    OUTDATED,
    /** A migration that has run differs from the one in this jar. */
    CHANGED,
    /** A newer Holdfast has migrated the schema. */
    NEWER,
    /** A migration has run although an earlier one has not. */
    OUT_OF_ORDER,
    /** The ledger says that a migration has run, but one of its tables does not exist. */
    DAMAGED,
    /** Citus distributes tables of Holdfast, which is not supported. */
    DISTRIBUTED,
    /** This user may not read Holdfast's tables. */
    NOT_READABLE,
    /** The connection has no current schema, and none was named. */
    NO_SCHEMA,
    /** The schema does not exist and could not be created. */
    CREATE_DENIED,
    /** A statement of a migration failed. */
    FAILED,
    /** Another instance migrated, or another session held locks, until the wait timeout. */
    BUSY,
    /** The data source has no second connection, which migrating needs on this database. */
    POOL_TOO_SMALL;

    /** The stable code of this reason, such as {@code schema-outdated}. */
    public String code() {
      return "schema-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean isFixedByMigrating() {
      return this == MISSING || this == OUTDATED;
    }
  }

  private final Reason reason;

  SchemaException(Reason reason, String message) {
    this(reason, message, null);
  }

  SchemaException(Reason reason, String message, @Nullable Throwable cause) {
    super(reason.code(), message, cause);
    this.reason = reason;
  }

  /** What is wrong; if there are several reasons, the one to fix first. */
  public Reason reason() {
    return reason;
  }

  @Override
  public boolean isRetryable() {
    return switch (reason) {
      case BUSY -> true;
      case FAILED, CREATE_DENIED -> SqlError.isRetryable(getCause());
      default -> false;
    };
  }
}
