/**
 * The JDBC floor: transactions, retries, the one classifier of SQL errors, dialects and migrations.
 * Everything else stands on this package; it knows nothing of what stands on it.
 */
@NullMarked
package dev.holdfast.sql;

import org.jspecify.annotations.NullMarked;
