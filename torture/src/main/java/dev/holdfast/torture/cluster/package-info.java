/** The processes of a run and the faults they meet. */
@NullMarked
package dev.holdfast.torture.cluster;

import org.jspecify.annotations.NullMarked;
