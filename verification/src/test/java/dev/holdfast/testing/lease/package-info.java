/** Leases on each database, and in several processes. */
@NullMarked
package dev.holdfast.testing.lease;

import org.jspecify.annotations.NullMarked;
