package dev.holdfast.race.internal.model;

import org.jspecify.annotations.Nullable;

/**
 * How an actor has ended.
 *
 * @param result what it returned, as text; empty if the test does not compare it
 * @param error what it threw; null if it did not
 * @param atStep if it threw because of a database error, the index of its last step that failed; -1
 *     otherwise
 */
public record ActorEnd(Cell result, @Nullable Throwable error, int atStep) {}
