package dev.holdfast.web.webhook;

import dev.holdfast.webhook.InvalidCallException;
import dev.holdfast.webhook.WebhookCall;
import java.time.Duration;
import java.util.Base64;

/** Reads calls as they are stored. */
final class WebhookCalls {
  private WebhookCalls() {}

  /**
   * The call of a task.
   *
   * @throws InvalidCallException where it is not one that may be made
   * @throws IllegalArgumentException where its body is not base64
   */
  static WebhookCall of(WebhookTask task) {
    WebhookCall call =
        WebhookCall.to(task.url())
            .method(task.method())
            .timeout(Duration.ofMillis(task.timeoutMillis()));
    for (WebhookTask.Header header : task.headers()) {
      call = call.header(header.name(), header.value());
    }
    String body = task.body();
    return body == null ? call : call.body(Base64.getDecoder().decode(body));
  }

  static int size(WebhookTask task) {
    String body = task.body();
    return body == null ? 0 : body.length() / 4 * 3;
  }
}
