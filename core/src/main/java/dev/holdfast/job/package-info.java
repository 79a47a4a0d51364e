/** Exclusive jobs: they run on one instance at a time, and not too soon after their last run. */
@NullMarked
package dev.holdfast.job;

import org.jspecify.annotations.NullMarked;
