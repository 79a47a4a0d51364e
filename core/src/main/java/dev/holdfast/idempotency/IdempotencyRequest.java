package dev.holdfast.idempotency;

import dev.holdfast.codec.Codec;
import dev.holdfast.codec.CodecFactory;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Describes one call that must take effect once: its key, the fingerprint of its payload, and how
 * its result is stored.
 *
 * <pre>{@code
 * IdempotencyRequest.of("POST /orders", key, Long.class).principal(customer).fingerprint(body)
 * }</pre>
 *
 * <p><b>Defaults:</b> no tenant, no principal, {@link Fingerprint#none()}, and the wait timeout and
 * retention of the {@link IdempotencyOptions}.
 *
 * <p>Immutable and thread-safe. Every method returns a changed copy.
 */
public final class IdempotencyRequest<T extends @Nullable Object> {
  private final IdempotencyKey key;
  private final Fingerprint fingerprint;
  private final Function<CodecFactory, Codec<T>> codec;
  private final @Nullable Duration waitTimeout;
  private final @Nullable Duration retention;

  private IdempotencyRequest(
      IdempotencyKey key,
      Fingerprint fingerprint,
      Function<CodecFactory, Codec<T>> codec,
      @Nullable Duration waitTimeout,
      @Nullable Duration retention) {
    this.key = key;
    this.fingerprint = fingerprint;
    this.codec = codec;
    this.waitTimeout = waitTimeout;
    this.retention = retention;
  }

  /**
   * A request whose result has this type. {@code String}, {@code Long}, {@code byte[]} and {@code
   * Void} have the codecs of {@link Codec}, all other types that of the {@link CodecFactory}.
   *
   * @param operation what is requested, such as {@code POST /orders}, from 1 to 200 characters
   * @param key the idempotency key that the client chose, from 1 to 255 characters
   */
  public static <T> IdempotencyRequest<T> of(String operation, String key, Class<T> resultType) {
    Require.notNull(resultType, "resultType");
    return of(IdempotencyKey.of(operation, key), factory -> factory.codec(resultType));
  }

  /** A request whose result is stored by this codec. */
  public static <T extends @Nullable Object> IdempotencyRequest<T> of(
      IdempotencyKey key, Codec<T> codec) {
    Require.notNull(codec, "codec");
    return of(Require.notNull(key, "key"), factory -> codec);
  }

  private static <T extends @Nullable Object> IdempotencyRequest<T> of(
      IdempotencyKey key, Function<CodecFactory, Codec<T>> codec) {
    return new IdempotencyRequest<>(key, Fingerprint.none(), codec, null, null);
  }

  /** The tenant whose data the request is about, from 1 to 200 characters. */
  public IdempotencyRequest<T> tenant(String tenant) {
    return new IdempotencyRequest<>(key.tenant(tenant), fingerprint, codec, waitTimeout, retention);
  }

  /** The sender of the request, from 1 to 200 characters. Set it if keys come from clients. */
  public IdempotencyRequest<T> principal(String principal) {
    return new IdempotencyRequest<>(
        key.principal(principal), fingerprint, codec, waitTimeout, retention);
  }

  /** The fingerprint of these texts, in this order: what the payload consists of. */
  public IdempotencyRequest<T> fingerprint(String... parts) {
    return fingerprint(Fingerprint.of(parts));
  }

  /** The fingerprint of the payload. The same key with another fingerprint is rejected. */
  public IdempotencyRequest<T> fingerprint(Fingerprint fingerprint) {
    return new IdempotencyRequest<>(
        key, Require.notNull(fingerprint, "fingerprint"), codec, waitTimeout, retention);
  }

  /** As {@link IdempotencyOptions.Builder#waitTimeout}, for this call. */
  public IdempotencyRequest<T> waitTimeout(Duration timeout) {
    return new IdempotencyRequest<>(
        key, fingerprint, codec, IdempotencyOptions.requireWaitTimeout(timeout), retention);
  }

  /** As {@link IdempotencyOptions.Builder#retention}, for this call. */
  public IdempotencyRequest<T> retention(Duration retention) {
    return new IdempotencyRequest<>(
        key, fingerprint, codec, waitTimeout, IdempotencyOptions.requireRetention(retention));
  }

  public IdempotencyKey key() {
    return key;
  }

  public Fingerprint fingerprint() {
    return fingerprint;
  }

  /** The codec of the result: the one that is set, or else that of the factory. */
  public Codec<T> codec(CodecFactory factory) {
    return codec.apply(factory);
  }

  /** The wait timeout of this call, or empty for that of the options. */
  public Optional<Duration> waitTimeout() {
    return Optional.ofNullable(waitTimeout);
  }

  /** The retention of this call, or empty for that of the options. */
  public Optional<Duration> retention() {
    return Optional.ofNullable(retention);
  }

  @Override
  public String toString() {
    return key.toString();
  }
}
