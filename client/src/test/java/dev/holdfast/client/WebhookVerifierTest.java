package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.client.InvalidWebhookException.Reason;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WebhookVerifierTest {
  private static final String FORGED = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";

  private final WebhookVerifier verifier = Vector.verifierAt(Vector.TIME);

  @Test
  void acceptsTheVectorOfTheSpecification() throws InvalidWebhookException {
    assertThat(verifier.verify(Vector.ID, Vector.TIMESTAMP, Vector.SIGNATURE, Vector.body()))
        .isEqualTo(new VerifiedWebhook(Vector.ID, Vector.TIME));
  }

  @Test
  void findsItsHeadersInAnyCase() throws InvalidWebhookException {
    Map<String, List<String>> headers = new HashMap<>();
    headers.put("Webhook-Id", List.of(Vector.ID));
    headers.put("WEBHOOK-TIMESTAMP", List.of(Vector.TIMESTAMP));
    headers.put("webhook-signature", List.of(Vector.SIGNATURE));
    headers.put("Content-Type", List.of("application/json"));
    assertThat(verifier.verify(headers, Vector.body()).id()).isEqualTo(Vector.ID);
  }

  @Test
  void triesEverySignatureAndPassesOverOtherVersions() throws InvalidWebhookException {
    String list = "v2," + Vector.SIGNATURE.substring(3) + " v1a,xyz  " + FORGED;
    assertThat(
            verifier.verify(
                Vector.ID, Vector.TIMESTAMP, list + " " + Vector.SIGNATURE, Vector.body()))
        .isNotNull();
    assertThat(
            verifier.verify(
                Vector.ID, Vector.TIMESTAMP, Vector.SIGNATURE + " " + list, Vector.body()))
        .isNotNull();
    assertThat(refusal(Vector.ID, Vector.TIMESTAMP, list)).isEqualTo(Reason.INVALID_SIGNATURE);
  }

  @Test
  void takesAListThatCameInSeveralLines() throws InvalidWebhookException {
    Map<String, List<String>> headers = new HashMap<>(vectorHeaders());
    headers.put("webhook-signature", List.of(FORGED, Vector.SIGNATURE));
    assertThat(verifier.verify(headers, Vector.body()).id()).isEqualTo(Vector.ID);
  }

  @Test
  void goesOnWhileASecretIsReplacedOnEitherSide() throws InvalidWebhookException {
    WebhookSecret fresh = WebhookSecret.generate();
    String both =
        WebhookSigner.of(fresh, Vector.SECRET).sign(Vector.ID, Vector.TIME, Vector.body());
    assertThat(verifier.verify(Vector.ID, Vector.TIMESTAMP, both, Vector.body())).isNotNull();
    String onlyFresh = WebhookSigner.of(fresh).sign(Vector.ID, Vector.TIME, Vector.body());
    assertThat(refusal(Vector.ID, Vector.TIMESTAMP, onlyFresh)).isEqualTo(Reason.INVALID_SIGNATURE);
    WebhookVerifier either =
        WebhookVerifier.of(Vector.SECRET, fresh).clock(Clock.fixed(Vector.TIME, ZoneOffset.UTC));
    assertThat(either.verify(Vector.ID, Vector.TIMESTAMP, onlyFresh, Vector.body())).isNotNull();
  }

  @Test
  void allowsTheTimeToBeFiveMinutesOff() throws InvalidWebhookException {
    for (long off : new long[] {-300, 300}) {
      assertThat(at(Vector.TIME.plusSeconds(off)).timestamp()).isEqualTo(Vector.TIME);
    }
    assertThatThrownBy(() -> at(Vector.TIME.plusSeconds(301)))
        .isInstanceOfSatisfying(
            InvalidWebhookException.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(Reason.EXPIRED);
              assertThat(refused.code()).isEqualTo("webhook-expired");
            })
        .hasMessage(
            "webhook 'msg_p5jXN8AQM9LWM0D4loKWxJek' was sent at 2021-02-25T15:02:10Z,"
                + " must be within PT5M of now (2021-02-25T15:07:11Z)");
    assertThatThrownBy(() -> at(Vector.TIME.minusSeconds(301)))
        .isInstanceOfSatisfying(
            InvalidWebhookException.class,
            refused -> assertThat(refused.reason()).isEqualTo(Reason.IN_FUTURE));
  }

  @Test
  void takesAnotherTolerance() throws InvalidWebhookException {
    WebhookVerifier patient =
        Vector.verifierAt(Vector.TIME.plusSeconds(3600)).tolerance(Duration.ofHours(1));
    assertThat(patient.verify(vectorHeaders(), Vector.body())).isNotNull();
    assertThatThrownBy(() -> patient.tolerance(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tolerance must be from 1 s to 1 day, was PT0S");
    assertThatThrownBy(() -> patient.tolerance(Duration.ofDays(2)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void saysWhichHeaderIsMissing() {
    for (String missing : vectorHeaders().keySet()) {
      Map<String, List<String>> headers = new HashMap<>(vectorHeaders());
      headers.remove(missing);
      assertThatThrownBy(() -> verifier.verify(headers, Vector.body()))
          .isInstanceOf(InvalidWebhookException.class)
          .hasMessage("the header " + missing + " is missing");
    }
    assertThat(refusal(null, null, null)).isEqualTo(Reason.MISSING_HEADER);
    assertThat(refusal("", "", "")).isEqualTo(Reason.MISSING_HEADER);
  }

  @Test
  void refusesHeadersThatAreThereTwice() {
    for (String twice : List.of("webhook-id", "webhook-timestamp")) {
      Map<String, List<String>> headers = new HashMap<>(vectorHeaders());
      headers.put(twice.toUpperCase(Locale.ROOT), List.of("other"));
      assertThatThrownBy(() -> verifier.verify(headers, Vector.body()))
          .isInstanceOf(InvalidWebhookException.class)
          .hasMessage("the header " + twice + " must occur once, occurred 2 times");
    }
  }

  @Test
  void refusesTimesThatAreNoSeconds() {
    for (String time :
        List.of("-1", "+1614265330", "1614265330.0", " 1614265330", "1e9", "٣", "9".repeat(13))) {
      assertThat(refusal(Vector.ID, time, Vector.SIGNATURE))
          .as(time)
          .isEqualTo(Reason.MALFORMED_HEADER);
    }
  }

  @Test
  void takesTheMapsOfServersWithTheirNulls() throws InvalidWebhookException {
    Map<@Nullable String, List<@Nullable String>> raw = new HashMap<>();
    raw.put(null, Arrays.asList("HTTP/1.1 200 OK", null));
    vectorHeaders().forEach((name, values) -> raw.put(name, Arrays.asList(values.get(0), null)));
    @SuppressWarnings({"unchecked", "rawtypes"})
    Map<String, List<String>> headers = (Map) raw;
    assertThat(verifier.verify(headers, Vector.body())).isNotNull();
  }

  static Map<String, List<String>> vectorHeaders() {
    return Map.of(
        "webhook-id",
        List.of(Vector.ID),
        "webhook-timestamp",
        List.of(Vector.TIMESTAMP),
        "webhook-signature",
        List.of(Vector.SIGNATURE));
  }

  private static VerifiedWebhook at(Instant now) throws InvalidWebhookException {
    return Vector.verifierAt(now).verify(vectorHeaders(), Vector.body());
  }

  private Reason refusal(
      @Nullable String id, @Nullable String timestamp, @Nullable String signature) {
    return catchThrowableOfType(
            InvalidWebhookException.class,
            () -> verifier.verify(id, timestamp, signature, Vector.body()))
        .reason();
  }
}
