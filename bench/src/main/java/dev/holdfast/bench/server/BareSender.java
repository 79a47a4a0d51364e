package dev.holdfast.bench.server;

import dev.holdfast.client.WebhookSecret;
import dev.holdfast.client.WebhookSigner;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A process that sends signed calls with the JDK's HttpClient and nothing else: no database, no
 * guard, no record of what was sent. For each number that it reads it sends as many, and tells how
 * many it was in a second.
 */
public final class BareSender {
  private static final int OK = 200;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final WebhookSigner signer = WebhookSigner.of(WebhookSecret.generate());
  private final URI target;
  private final int inFlight;

  private BareSender(URI target, int inFlight) {
    this.target = target;
    this.inFlight = inFlight;
  }

  public static void main(String... args) throws Exception {
    BareSender sender =
        new BareSender(
            URI.create("http://127.0.0.1:" + args[0] + "/hook"), Integer.parseInt(args[1]));
    System.out.println("ready");
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(sender.perSecond(Integer.parseInt(line)));
      }
    }
  }

  private double perSecond(int calls) throws InterruptedException {
    byte[] body = Payload.BODY.getBytes(StandardCharsets.UTF_8);
    Semaphore free = new Semaphore(inFlight);
    CountDownLatch open = new CountDownLatch(calls);
    long start = System.nanoTime();
    for (int call = 0; call < calls; call++) {
      free.acquire();
      http.sendAsync(signed("call-" + call, body), BodyHandlers.discarding())
          .whenComplete(
              (answer, failure) -> {
                requireReceived(answer, failure);
                free.release();
                open.countDown();
              })
          .isDone();
    }
    open.await();
    return calls * 1e9 / (System.nanoTime() - start);
  }

  private static void requireReceived(
      @Nullable HttpResponse<?> answer, @Nullable Throwable failure) {
    if (answer == null || answer.statusCode() != OK) {
      System.err.println("a call has failed: " + (answer == null ? failure : answer));
      System.exit(1);
    }
  }

  private HttpRequest signed(String id, byte[] body) {
    Instant now = Instant.now();
    return HttpRequest.newBuilder(target)
        .header("Content-Type", "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", WebhookSigner.timestamp(now))
        .header("webhook-signature", signer.sign(id, now, body))
        .POST(BodyPublishers.ofByteArray(body))
        .build();
  }
}
