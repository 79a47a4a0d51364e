package dev.holdfast.servlet;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.StepContext;
import jakarta.servlet.ServletRequest;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the application may know about a request that an {@link IdempotencyFilter} executes. */
public final class IdempotentRequest {
  /** The attribute of the request that holds it. */
  public static final String ATTRIBUTE = "dev.holdfast.servlet.IdempotentRequest";

  /** How a request is executed once. */
  public enum Mode {
    /** The record is committed with the changes in the database. */
    TRANSACTION,
    /** The lease of the request is renewed while the application works. */
    LEASE;

    /** As in the header {@code Idempotency-Mode}. */
    public String header() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final IdempotencyKey key;
  private final @Nullable StepContext steps;
  private final @Nullable Transaction transaction;
  private final @Nullable LeaseExchange exchange;

  private IdempotentRequest(
      IdempotencyKey key,
      @Nullable StepContext steps,
      @Nullable Transaction transaction,
      @Nullable LeaseExchange exchange) {
    this.key = key;
    this.steps = steps;
    this.transaction = transaction;
    this.exchange = exchange;
  }

  static IdempotentRequest leased(OpenWorkflow request, LeaseExchange exchange) {
    return new IdempotentRequest(request.key(), request, null, exchange);
  }

  static IdempotentRequest in(Transaction tx, IdempotencyKey key) {
    return new IdempotentRequest(key, null, tx, null);
  }

  /** The request; empty if it has no key, or did not pass the filter. */
  public static Optional<IdempotentRequest> from(ServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof IdempotentRequest known
        ? Optional.of(known)
        : Optional.empty();
  }

  /**
   * The transaction in which a request must do its work.
   *
   * @throws IllegalStateException if it has none: it has no key, or uses a lease
   */
  public static Transaction transaction(ServletRequest request) {
    IdempotentRequest known = from(request).orElse(null);
    if (known == null) {
      throw new IllegalStateException(
          "This request has no Idempotency-Key, or did not pass the filter, so it has no"
              + " transaction. Require keys by requireKey(…) of IdempotencyFilterOptions, or open a"
              + " transaction.");
    }
    return known
        .transaction()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "This request uses a lease, so it has no transaction. Use steps() and"
                        + " transactionalStep(…)."));
  }

  public IdempotencyKey key() {
    return key;
  }

  public Mode mode() {
    return steps == null ? Mode.TRANSACTION : Mode.LEASE;
  }

  /** The steps, which are not run again if the request is repeated; only in mode lease. */
  public Optional<StepContext> steps() {
    return Optional.ofNullable(steps);
  }

  /** The transaction, only in mode transaction. The filter commits it. */
  public Optional<Transaction> transaction() {
    return Optional.ofNullable(transaction);
  }

  @Nullable LeaseExchange exchange() {
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
