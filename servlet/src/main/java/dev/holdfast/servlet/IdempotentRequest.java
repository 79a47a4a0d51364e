package dev.holdfast.servlet;

import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.sql.Transaction;
import jakarta.servlet.ServletRequest;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the application can learn of a request that takes effect once. */
public final class IdempotentRequest {
  /** The attribute of the request that has it. */
  public static final String ATTRIBUTE = "dev.holdfast.servlet.IdempotentRequest";

  /** By what a request takes effect once. */
  public enum Mode {
    /** Its record is committed with what it changes in the database. */
    TRANSACTION,
    /** Its claim is held while it is worked on. */
    CLAIM;

    /** As the header {@code Idempotency-Mode} has it. */
    public String header() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final IdempotencyKey key;
  private final @Nullable Claim claim;
  private final @Nullable Transaction transaction;
  private final @Nullable ClaimExchange exchange;

  private IdempotentRequest(
      IdempotencyKey key,
      @Nullable Claim claim,
      @Nullable Transaction transaction,
      @Nullable ClaimExchange exchange) {
    this.key = key;
    this.claim = claim;
    this.transaction = transaction;
    this.exchange = exchange;
  }

  static IdempotentRequest claimed(Claim claim, ClaimExchange exchange) {
    return new IdempotentRequest(claim.key(), claim, null, exchange);
  }

  static IdempotentRequest in(Transaction tx, IdempotencyKey key) {
    return new IdempotentRequest(key, null, tx, null);
  }

  /** Of a request; empty where it has no key, or is not one of those that take effect once. */
  public static Optional<IdempotentRequest> of(ServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof IdempotentRequest known
        ? Optional.of(known)
        : Optional.empty();
  }

  /**
   * The transaction in which a request must do its work.
   *
   * @throws IllegalStateException where it has none: it has no key, or is under a claim
   */
  public static Transaction transaction(ServletRequest request) {
    IdempotentRequest known = of(request).orElse(null);
    if (known == null) {
      throw new IllegalStateException(
          "this request has no Idempotency-Key, or did not pass the filter, so that there is no"
              + " transaction of it; have keys required by IdempotencyOptions.keyRequired(…), or"
              + " open a transaction of your own");
    }
    return known
        .transaction()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "this request is under a claim, so that there is no transaction of it; use"
                        + " claim() and its stepInTransaction(…)"));
  }

  public IdempotencyKey key() {
    return key;
  }

  public Mode mode() {
    return claim == null ? Mode.TRANSACTION : Mode.CLAIM;
  }

  /** The claim, whose steps are not run again where the request is repeated; in that mode only. */
  public Optional<Claim> claim() {
    return Optional.ofNullable(claim);
  }

  /** The transaction, in that mode only. Whoever uses it leaves its end to the filter. */
  public Optional<Transaction> transaction() {
    return Optional.ofNullable(transaction);
  }

  @Nullable ClaimExchange exchange() {
    return exchange;
  }

  void attachTo(ServletRequest request) {
    request.setAttribute(ATTRIBUTE, this);
  }

  @Override
  public String toString() {
    return key + " by " + mode().header();
  }
}
