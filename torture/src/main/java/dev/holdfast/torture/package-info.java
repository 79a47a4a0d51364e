/** Fault injection: many processes on one database, seeded faults, and a verdict. */
@NullMarked
package dev.holdfast.torture;

import org.jspecify.annotations.NullMarked;
