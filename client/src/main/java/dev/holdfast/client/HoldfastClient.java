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
 * Schedules HTTP calls with a Holdfast service, looks them up and cancels them.
 *
 * <pre>{@code
 * HoldfastClient holdfast = HoldfastClient.of("http://localhost:7411", token);
 * EventView event = holdfast.schedule(Call.post("https://example.org/hooks").json(body).at(nine));
 * }</pre>
 *
 * <p>Guarantee: {@link #schedule} makes one event, also where its answer was lost and it was sent
 * again; when it throws because the service could not be reached, whether there is one is not
 * known, and scheduling the same call with the same key again is safe. By default a request may
 * take 10 s, and is repeated for 30 s while the service cannot be reached or asks for time.
 * Immutable and thread-safe; make one and keep it.
 */
public final class HoldfastClient {
  private static final Duration STANDARD_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration STANDARD_PATIENCE = Duration.ofSeconds(30);
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
   * A client of the service at this address.
   *
   * @param address of the service, with its path where it has one
   * @param token as the service shows it at its first start
   */
  public static HoldfastClient of(String address, String token) {
    URI base = URI.create(address.replaceFirst("/+$", ""));
    String scheme = String.valueOf(base.getScheme());
    if (base.getHost() == null || !(scheme.equals("http") || scheme.equals("https"))) {
      throw new IllegalArgumentException(
          "the address of the service must be such as http://localhost:7411, was '"
              + address
              + "'");
    }
    HttpClient http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(STANDARD_TIMEOUT)
            .build();
    return new HoldfastClient(
        new Requests(
            http,
            base,
            Objects.requireNonNull(token, "token"),
            STANDARD_TIMEOUT,
            STANDARD_PATIENCE));
  }

  /** How long one request may take. */
  public HoldfastClient timeout(Duration limit) {
    return new HoldfastClient(
        new Requests(
            requests.http(),
            requests.address(),
            requests.token(),
            Objects.requireNonNull(limit, "limit"),
            requests.patience()));
  }

  /** For how long a request is repeated; zero for one attempt. */
  public HoldfastClient patience(Duration limit) {
    return new HoldfastClient(
        new Requests(
            requests.http(),
            requests.address(),
            requests.token(),
            requests.timeout(),
            Objects.requireNonNull(limit, "limit")));
  }

  /**
   * Schedules a call. Where an event with its key is there already, for the same call, that one is
   * answered.
   *
   * @throws HoldfastServiceException with the code {@code conflict} where the key belongs to
   *     another call, {@code invalid-argument} where the call is refused, {@code unreachable} where
   *     it is not known
   */
  public EventView schedule(WebhookRequest call) {
    String given = call.key();
    String key = given == null ? "client-" + UUID.randomUUID() : given;
    Answer answer = requests.send("PUT", EVENTS + Requests.encoded(key), call.toJson(), Map.of());
    if (answer.status() != CREATED && answer.status() != OK) {
      throw answer.refusal();
    }
    return event(answer);
  }

  /** The event with this id or key, live or ended. */
  public Optional<EventView> find(String idOrKey) {
    return read(idOrKey).map(HoldfastClient::event);
  }

  /** Cancels the event with this id or key, whatever has changed in it meanwhile. */
  public CancelResult cancel(String idOrKey, String reason) {
    Objects.requireNonNull(reason, "reason");
    for (int tried = 0; tried < MAX_CHANGES; tried++) {
      Optional<Answer> found = read(idOrKey);
      if (found.isEmpty()) {
        return CancelResult.MISSING;
      }
      EventView event = event(found.get());
      if (event.status().isEnded()) {
        return event.status() == Status.CANCELLED && tried > 0
            ? CancelResult.CANCELLED
            : CancelResult.ENDED;
      }
      Answer answer =
          requests.send(
              "POST",
              EVENTS + event.id() + ":cancel",
              Json.write(Map.of("reason", reason)),
              Map.of("If-Match", found.get().etag()));
      if (answer.status() == OK) {
        return event(answer).status().isEnded() ? CancelResult.CANCELLED : CancelResult.REQUESTED;
      }
      // it has changed since it was read, perhaps by this very request: look again
      if (answer.status() != PRECONDITION_FAILED && answer.status() != CONFLICT) {
        throw answer.refusal();
      }
    }
    throw new HoldfastServiceException(
        PRECONDITION_FAILED, "precondition-failed", "event " + idOrKey + " changes all the time");
  }

  /**
   * Sends a request to a resource that has no method here, such as {@code /v1/queues}.
   *
   * <p>Like all requests of this client it is repeated until the retry timeout ends. If the request
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
          answer.status(), "unexpected-answer", "the service answered no event: " + e.getMessage());
    }
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "client of " + requests.address();
  }
}
