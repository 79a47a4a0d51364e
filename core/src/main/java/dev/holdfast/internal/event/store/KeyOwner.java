package dev.holdfast.internal.event.store;

/** Whose a key is. */
public record KeyOwner(long id, String fingerprint) {}
