package dev.holdfast.webhook;

import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;

/** A new database, and instances that deliver its webhooks. */
final class Deliveries implements AutoCloseable {
  static final WebhookCall.Retry AT_ONCE = new WebhookCall.Retry(5, 1, 1, 1);

  private static final Duration LIMIT = Duration.ofSeconds(60);

  final TestSchema schema;
  final Holdfast holdfast;
  private final List<Instance> instances = new ArrayList<>();

  /** One that delivers. */
  record Instance(WebhookDelivery delivery, SigningSecrets secrets, Worker worker) {
    void close() {
      worker.stop(Duration.ZERO);
      delivery.close();
      secrets.close();
    }
  }

  Deliveries(TestDatabase database) {
    this.schema = database.newSchema();
    this.holdfast = Holdfast.create(schema.dataSource());
    holdfast.migrations().migrate();
  }

  /** All names are of this machine, which may be called. */
  static SenderOptions local() {
    return SenderOptions.ofDefaults()
        .guard(AddressGuard.ofDefaults().allow("127.0.0.0/8"))
        .resolver(name -> List.of(InetAddress.getLoopbackAddress()));
  }

  static DeliveryOptions settings(SenderOptions sender, TargetGateOptions circuits, int most) {
    return new DeliveryOptions(
        sender, circuits, Duration.ofSeconds(60), most, 64 * 1024 * 1024, List.of("default"));
  }

  Instance start() {
    return start(worker -> worker);
  }

  Instance start(DeliveryOptions settings) {
    return start(settings, worker -> worker);
  }

  Instance start(UnaryOperator<Worker.Builder> more) {
    return start(settings(local(), TargetGateOptions.ofDefaults(), 100), more);
  }

  private Instance start(DeliveryOptions settings, UnaryOperator<Worker.Builder> more) {
    SigningSecrets secrets = SigningSecrets.open(holdfast, null);
    WebhookDelivery delivery =
        WebhookDelivery.builder(holdfast).options(settings).instanceName("blue").open(secrets);
    Worker.Builder builder = holdfast.worker().pollInterval(Duration.ofMillis(50));
    delivery.register(builder);
    Instance instance = new Instance(delivery, secrets, more.apply(builder).start());
    instances.add(instance);
    return instance;
  }

  static WebhookCall task(String url) {
    return task(url, AT_ONCE);
  }

  static WebhookCall task(String url, WebhookCall.Retry retry, WebhookHeader... headers) {
    String body = Base64.getEncoder().encodeToString("hello".getBytes(StandardCharsets.UTF_8));
    return new WebhookCall(url, "POST", List.of(headers), body, 30_000, retry);
  }

  EventId schedule(WebhookCall task) {
    return holdfast.events().schedule(WebhookCall.TYPE.event(task)).id();
  }

  EventRecord find(EventId id) {
    return holdfast.events().find(id).orElseThrow();
  }

  EventRecord awaitStatus(EventId id, EventStatus status) {
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> find(id).status() == status);
    return find(id);
  }

  /** An attempt has failed, and the event waits for the next. */
  EventRecord awaitRetry(EventId id) {
    await().atMost(LIMIT).pollInterval(Duration.ofMillis(20)).until(() -> find(id).error() != null);
    return find(id);
  }

  List<AttemptRecord> awaitAttempts(EventId id, int count) {
    Attempts attempts = Attempts.of(holdfast, null);
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> attempts.of(id).size() >= count);
    return attempts.of(id);
  }

  @Override
  public void close() {
    instances.forEach(Instance::close);
    schema.close();
  }
}
