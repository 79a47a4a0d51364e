package dev.holdfast.webhook;

import dev.holdfast.client.WebhookSecret;
import java.time.Instant;

/** A secret that signs webhooks. {@code toString} does not show it. */
public record SigningSecretRecord(String id, WebhookSecret secret, Instant createdAt) {}
