package dev.holdfast.client;

import java.time.Instant;

/**
 * A webhook that is genuine and fresh.
 *
 * @param id the same on every attempt; store it to process a webhook once
 * @param timestamp time of this attempt, by the clock of the sender
 */
public record VerifiedWebhook(String id, Instant timestamp) {}
