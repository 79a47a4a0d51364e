package dev.holdfast.internal.event.engine;

/**
 * Something that may fail in a worker.
 *
 * @param code its stable name in the health of a worker
 * @param what what the worker is doing, for logs and people
 */
record HealthIssue(String code, String what) {}
