/**
 * Workflows: work in recorded steps that continues after a failure or a crash, for effects outside
 * of the database. {@link dev.holdfast.workflow.Workflows} is the entry point.
 */
@NullMarked
package dev.holdfast.workflow;

import org.jspecify.annotations.NullMarked;
