/** What a backend of leases implements. */
@NullMarked
package dev.holdfast.lease.spi;

import org.jspecify.annotations.NullMarked;
