/** Access to each database: lock waits, the contents of its tables, and restoring them. */
@NullMarked
package dev.holdfast.race.internal.database;

import org.jspecify.annotations.NullMarked;
