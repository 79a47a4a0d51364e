package dev.holdfast.webhook;

import dev.holdfast.client.WebhookHeaders;
import dev.holdfast.client.WebhookSigner;
import dev.holdfast.internal.Require;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a call that differ between attempts; they are sent as headers.
 *
 * @param webhookId the same for every attempt, so that the receiver can detect duplicates
 * @param attempt number of the attempt, from 1
 * @param fencingToken grows with every attempt
 * @param signer signs the call; null for an unsigned call
 */
public record Delivery(
    String webhookId, int attempt, long fencingToken, @Nullable WebhookSigner signer) {
  public Delivery {
    String id = webhookId;
    Require.that(
        WebhookHeaders.isValidId(id),
        () ->
            "the webhook id must be 1 to 256 visible ASCII characters without a full stop, was '"
                + Excerpt.safe(id)
                + "'");
    Require.between(attempt, 1, Integer.MAX_VALUE, "the attempt");
  }
}
