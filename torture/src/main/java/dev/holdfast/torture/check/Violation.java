package dev.holdfast.torture.check;

/**
 * Something that must not happen, and did.
 *
 * @param nanos when it was noticed
 */
public record Violation(Property property, long nanos, String text) {}
