/** Runs exclusive jobs, and the SQL of their table. Not for applications. */
@NullMarked
package dev.holdfast.internal.job;

import org.jspecify.annotations.NullMarked;
