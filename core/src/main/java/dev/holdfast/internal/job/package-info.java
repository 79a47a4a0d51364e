/** The SQL of exclusive jobs. Not for applications. */
@NullMarked
package dev.holdfast.internal.job;

import org.jspecify.annotations.NullMarked;
