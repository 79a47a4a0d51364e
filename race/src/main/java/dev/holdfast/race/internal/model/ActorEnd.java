package dev.holdfast.race.internal.model;

import org.jspecify.annotations.Nullable;

/**
 * How an actor has ended.
 *
 * @param result what it returned, as text; empty where the test does not look at it
 * @param error what it threw; null if it did not
 * @param atStep where it threw because the database refused, the index of its last step that
 *     failed; -1 otherwise
 */
public record ActorEnd(Cell result, @Nullable Throwable error, int atStep) {}
