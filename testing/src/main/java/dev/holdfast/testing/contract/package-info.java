/**
 * The contracts of the stores: what Holdfast guarantees of leases, idempotency records and cached
 * values, as tests that every store must pass. To run them on a store, extend each with a
 * constructor that makes it.
 */
@NullMarked
package dev.holdfast.testing.contract;

import org.jspecify.annotations.NullMarked;
