/** The service against hand-written ones: what it accepts and what it delivers in a second. */
@NullMarked
package dev.holdfast.bench.server;

import org.jspecify.annotations.NullMarked;
