/** The store of exclusive jobs. */
@NullMarked
package dev.holdfast.job.internal;

import org.jspecify.annotations.NullMarked;
