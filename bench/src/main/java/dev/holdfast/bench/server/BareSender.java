package dev.holdfast.bench.server;

import dev.holdfast.client.WebhookSecret;
import dev.holdfast.client.WebhookSigner;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.async.methods.SimpleRequestProducer;
import org.apache.hc.client5.http.async.methods.SimpleResponseConsumer;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.async.MinimalHttpAsyncClient;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.jspecify.annotations.Nullable;

/**
 * A process that sends signed calls with the asynchronous client that the service uses, and nothing
 * else: no database, no guard, no record of what was sent. For each number that it reads it sends
 * as many, and prints how many it was in a second.
 */
public final class BareSender {
  private static final int OK = 200;

  private final MinimalHttpAsyncClient http;
  private final WebhookSigner signer = WebhookSigner.of(WebhookSecret.generate());
  private final URI target;
  private final int inFlight;

  private BareSender(URI target, int inFlight) {
    this.target = target;
    this.inFlight = inFlight;
    this.http =
        HttpAsyncClients.createMinimal(
            null,
            Http1Config.DEFAULT,
            IOReactorConfig.custom().setTcpNoDelay(true).build(),
            PoolingAsyncClientConnectionManagerBuilder.create()
                .setMaxConnTotal(inFlight)
                .setMaxConnPerRoute(inFlight)
                .build());
    http.start();
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
      // its outcome reaches the callback
      var unused =
          http.execute(
              SimpleRequestProducer.create(signed("call-" + call, body)),
              SimpleResponseConsumer.create(),
              new FutureCallback<>() {
                @Override
                public void completed(SimpleHttpResponse answer) {
                  requireReceived(answer, null);
                  free.release();
                  open.countDown();
                }

                @Override
                public void failed(Exception failure) {
                  requireReceived(null, failure);
                }

                @Override
                public void cancelled() {
                  requireReceived(null, null);
                }
              });
    }
    open.await();
    return calls * 1e9 / (System.nanoTime() - start);
  }

  private static void requireReceived(
      @Nullable SimpleHttpResponse answer, @Nullable Throwable failure) {
    if (answer == null || answer.getCode() != OK) {
      System.err.println("a call has failed: " + (answer == null ? failure : answer));
      System.exit(1);
    }
  }

  private SimpleHttpRequest signed(String id, byte[] body) {
    Instant now = Instant.now();
    return SimpleRequestBuilder.post(target)
        .addHeader("webhook-id", id)
        .addHeader("webhook-timestamp", WebhookSigner.timestamp(now))
        .addHeader("webhook-signature", signer.sign(id, now, body))
        .setBody(body, ContentType.APPLICATION_JSON)
        .build();
  }
}
