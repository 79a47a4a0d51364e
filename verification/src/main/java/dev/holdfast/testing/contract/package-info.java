/**
 * The contracts of {@code core} that need a database of ours; those of the stores are published.
 */
@NullMarked
package dev.holdfast.testing.contract;

import org.jspecify.annotations.NullMarked;
