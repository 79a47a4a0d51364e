package dev.holdfast.client;

import java.time.Instant;

/**
 * A webhook that was found genuine and fresh.
 *
 * @param id the same on every attempt: what a receiver remembers to take effect only once
 * @param timestamp when this attempt was made, by the sender's clock
 */
public record VerifiedWebhook(String id, Instant timestamp) {}
