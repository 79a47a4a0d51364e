package dev.holdfast.race.internal.model;

import java.util.List;

/**
 * One line of a timeline: a step of an actor, in the order in which they were begun.
 *
 * @param number its place in the timeline, from 1
 * @param actor the number of the actor, from 0
 * @param index which of the actor's steps it is, from 0
 * @param life 1, or 2 after a crash
 * @param result what came of it; of a step that never ended, nothing yet ({@code done})
 * @param waitedFor the actors it had to wait for; empty if it did not
 * @param resumedBefore the number of the entry before which it resumed; 0 if it did not wait, or
 *     never resumed
 * @param presumed whether it is only presumed that it waited
 */
public record Entry(
    int number,
    int actor,
    int index,
    int life,
    Step step,
    StepResult result,
    Fate fate,
    List<Integer> waitedFor,
    int resumedBefore,
    boolean presumed) {}
