package dev.holdfast.web.webhook;

import dev.holdfast.client.WebhookSecret;
import java.time.Instant;

/** A secret with which webhooks are signed. {@code toString} does not show it. */
record SigningSecretRecord(String id, WebhookSecret secret, Instant createdAt) {}
