package dev.holdfast.client;

import dev.holdfast.client.EventView.Status;
import dev.holdfast.client.Requests.Answer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A client of a Holdfast service: schedules webhooks, finds them and cancels them.
 *
 * <pre>{@code
 * HoldfastClient holdfast = HoldfastClient.builder("http://localhost:7411").token(token).build();
 * EventView event =
 *     holdfast.schedule(WebhookRequest.post("https://example.org/hooks").json(body).at(nine));
 * }</pre>
 *
 * <p><b>Guarantees:</b> {@link #schedule} creates one event, even if a response is lost and the
 * request is sent again. If it throws because the service is unreachable, the event may or may not
 * exist; scheduling the same request with the same key again is safe.
 *
 * <p><b>Defaults:</b> a request times out after 10 s. It is retried for 30 s while the service is
 * unreachable or responds with 429, 502, 503 or 504.
 *
 * <p><b>Threads:</b> immutable and thread-safe. Create one client and reuse it.
 */
public final class HoldfastClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final String EVENTS = "/v1/events/";
  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int FIRST_REDIRECT = 300;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int PRECONDITION_FAILED = 412;
  private static final int MAX_CHANGES = 20;

  private final Requests requests;

  private HoldfastClient(Requests requests) {
    this.requests = requests;
  }

  /**
   * Builds a client of the service at this address.
   *
   * @param address of the service, such as {@code http://localhost:7411}, with its path if it has
   *     one
   * @throws IllegalArgumentException if the address is not an http or https URL
   */
  public static Builder builder(String address) {
    return new Builder(address);
  }

  /** Settings of a client. Not thread-safe. */
  public static final class Builder {
    private final URI address;
    private String token = "";
    private Duration requestTimeout = Duration.ofSeconds(10);
    private Duration retryTimeout = Duration.ofSeconds(30);

    private Builder(String address) {
      URI base = URI.create(address.replaceFirst("/+$", ""));
      String scheme = String.valueOf(base.getScheme());
      if (base.getHost() == null || !(scheme.equals("http") || scheme.equals("https"))) {
        throw new IllegalArgumentException(
            "the address of the service must be a URL such as http://localhost:7411, was '"
                + address
                + "'");
      }
      this.address = base;
    }

    /** A token of the service. Required. */
    public Builder token(String token) {
      this.token = Objects.requireNonNull(token, "token");
      return this;
    }

    /** Timeout of one request; 10 s by default. */
    public Builder requestTimeout(Duration timeout) {
      this.requestTimeout = Objects.requireNonNull(timeout, "timeout");
      return this;
    }

    /** How long a request is retried; 30 s by default, zero for a single attempt. */
    public Builder retryTimeout(Duration timeout) {
      this.retryTimeout = Objects.requireNonNull(timeout, "timeout");
      return this;
    }

    /**
     * The client.
     *
     * @throws IllegalStateException if no token was given
     */
    public HoldfastClient build() {
      if (token.isEmpty()) {
        throw new IllegalStateException("a token is required: call token(…)");
      }
      HttpClient http =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(CONNECT_TIMEOUT)
              .build();
      return new HoldfastClient(new Requests(http, address, token, requestTimeout, retryTimeout));
    }
  }

  /**
   * Schedules a webhook. If an event with this key exists for the same request, that event is
   * returned.
   *
   * @throws HoldfastServiceException with the code {@code conflict} if the key belongs to a
   *     different request, {@code invalid-argument} if the service rejects the request, and {@code
   *     service-unreachable} if the outcome is unknown
   */
  public EventView schedule(WebhookRequest request) {
    String given = request.key();
    String key = given == null ? "client-" + UUID.randomUUID() : given;
    Answer answer =
        requests.send("PUT", EVENTS + Requests.encoded(key), request.toJson(), Map.of());
    if (answer.status() != CREATED && answer.status() != OK) {
      throw answer.refusal();
    }
    return event(answer);
  }

  /** Finds the event with this id or key, including ended events. */
  public Optional<EventView> find(String idOrKey) {
    return read(idOrKey).map(HoldfastClient::event);
  }

  /** Cancels the event with this id or key, at whatever version it is. */
  public CancelResult cancel(String idOrKey, String reason) {
    Objects.requireNonNull(reason, "reason");
    for (int tried = 0; tried < MAX_CHANGES; tried++) {
      Optional<Answer> found = read(idOrKey);
      if (found.isEmpty()) {
        return CancelResult.NOT_FOUND;
      }
      EventView event = event(found.get());
      if (event.status().isEnded()) {
        return event.status() == Status.CANCELLED && tried > 0
            ? CancelResult.CANCELLED
            : CancelResult.ALREADY_ENDED;
      }
      Answer answer =
          requests.send(
              "POST",
              EVENTS + event.id() + ":cancel",
              Json.write(Map.of("reason", reason)),
              Map.of("If-Match", found.get().etag()));
      if (answer.status() == OK) {
        return event(answer).status().isEnded()
            ? CancelResult.CANCELLED
            : CancelResult.CANCELLATION_REQUESTED;
      }
      // changed since it was read, perhaps by an attempt of this request: read it again
      if (answer.status() != PRECONDITION_FAILED && answer.status() != CONFLICT) {
        throw answer.refusal();
      }
    }
    throw new HoldfastServiceException(
        PRECONDITION_FAILED,
        "precondition-failed",
        "Cannot cancel event " + idOrKey + ": it changed " + MAX_CHANGES + " times. Retry later.");
  }

  /**
   * Sends a request to a resource that has no method here, such as {@code /v1/queues}.
   *
   * <p>Like all requests of this client, it is retried until the retry timeout ends. If the request
   * must not take effect twice, use a client whose retry timeout is zero.
   *
   * @param path of the API, encoded, with its query
   * @param json the body, or null for none
   * @param etag the version that must still be current, as {@code If-Match}; empty for any
   * @throws HoldfastServiceException if the service responds with a status other than 2xx or cannot
   *     be reached
   */
  public ServiceResponse send(String method, String path, @Nullable String json, String etag) {
    HttpResponse<String> response =
        requests.exchange(method, path, json, etag.isEmpty() ? Map.of() : Map.of("If-Match", etag));
    Answer answer = Requests.answer(response);
    if (answer.status() < OK || answer.status() >= FIRST_REDIRECT) {
      throw answer.refusal();
    }
    return new ServiceResponse(answer.status(), answer.etag(), response.body());
  }

  private Optional<Answer> read(String idOrKey) {
    Answer answer = requests.send("GET", EVENTS + Requests.encoded(idOrKey), null, Map.of());
    if (answer.status() == NOT_FOUND) {
      return Optional.empty();
    }
    if (answer.status() != OK) {
      throw answer.refusal();
    }
    return Optional.of(answer);
  }

  private static EventView event(Answer answer) {
    try {
      return EventView.of(answer.members());
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new HoldfastServiceException(
          answer.status(),
          "service-unexpected-response",
          "the service did not return an event: " + e.getMessage());
    }
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "client of " + requests.address();
  }
}
