/** The SQL of leases. Not for applications. */
@NullMarked
package dev.holdfast.internal.lease.store;

import org.jspecify.annotations.NullMarked;
