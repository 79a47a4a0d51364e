package dev.holdfast.event;

/**
 * One event of a batch. Its context is cancelled by itself where only this event is asked to stop;
 * the thread is interrupted only for the whole batch.
 */
public record BatchItem<P>(P payload, EventContext context) {}
