/**
 * Leases: an exclusive or shared right to a name for a time, with a token that only grows, and the
 * fence that checks it where the write happens.
 */
@NullMarked
package dev.holdfast.lease;

import org.jspecify.annotations.NullMarked;
