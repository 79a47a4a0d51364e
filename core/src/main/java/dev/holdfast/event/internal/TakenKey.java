package dev.holdfast.event.internal;

/** Whose a key is. */
public record TakenKey(long id, String fingerprint) {}
