package dev.holdfast.client;

/**
 * A successful response of the service.
 *
 * @param etag the version of the resource; empty if the response has none
 * @param json the body; empty if there is none
 */
public record ServiceResponse(int status, String etag, String json) {}
