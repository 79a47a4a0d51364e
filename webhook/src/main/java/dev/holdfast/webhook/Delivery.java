package dev.holdfast.webhook;

import dev.holdfast.client.WebhookHeaders;
import dev.holdfast.client.WebhookSigner;
import org.jspecify.annotations.Nullable;

/**
 * Which delivery of which webhook an attempt is; the target reads it in headers.
 *
 * @param webhookId the same on every attempt, the receiver's key to take effect only once
 * @param attempt which attempt this is, the first being 1
 * @param fencing a number that only grows from one attempt to the next
 * @param signer signs the call; without one it goes unsigned
 */
public record Delivery(
    String webhookId, int attempt, long fencing, @Nullable WebhookSigner signer) {
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
