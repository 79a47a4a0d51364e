/** Acquires, hands over, renews and releases leases of a store. Not for applications. */
@NullMarked
package dev.holdfast.internal.lease.engine;

import org.jspecify.annotations.NullMarked;
