/** Leases in the tables of a database. Not for users. */
@NullMarked
package dev.holdfast.lease.internal;

import org.jspecify.annotations.NullMarked;
