package dev.holdfast.transaction;

import dev.holdfast.HoldfastException;

/** A database, or a version of one, that Holdfast does not know how to be correct on. */
public final class UnsupportedDatabaseException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  public UnsupportedDatabaseException(String found) {
    super(
        "unsupported-database",
        "Holdfast supports PostgreSQL 14+, MariaDB 10.6+, MySQL 8.0+ and H2"
            + " 2.2+; this is "
            + found,
        null);
  }
}
