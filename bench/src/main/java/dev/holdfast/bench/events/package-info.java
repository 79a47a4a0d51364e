/** Stored events under load: hand-written SQL and the schedulers that Java has, side by side. */
@NullMarked
package dev.holdfast.bench.events;

import org.jspecify.annotations.NullMarked;
