package dev.holdfast.web.api;

/**
 * Where the API is mounted.
 *
 * @param path such as {@code /holdfast}, or nothing for the root
 */
public record Mount(String path) {}
