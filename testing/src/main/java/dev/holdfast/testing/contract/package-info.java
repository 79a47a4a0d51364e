/**
 * The contract suites: what Holdfast guarantees, as tests that every database must pass. To run
 * them on a database, extend each with a constructor that names it.
 */
@NullMarked
package dev.holdfast.testing.contract;

import org.jspecify.annotations.NullMarked;
