/** The race finder: how fast it goes, what it finds, and what leaving out saves. */
@NullMarked
package dev.holdfast.bench.race;

import org.jspecify.annotations.NullMarked;
