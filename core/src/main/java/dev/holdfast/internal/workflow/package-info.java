/** Runs workflows under a lease and resumes interrupted ones. */
@NullMarked
package dev.holdfast.internal.workflow;

import org.jspecify.annotations.NullMarked;
