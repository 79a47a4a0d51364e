/**
 * Leases: an exclusive or shared right to a name for a limited time, with a token that only grows,
 * and the fence that checks the token in the transaction that writes.
 */
@NullMarked
package dev.holdfast.lease;

import org.jspecify.annotations.NullMarked;
