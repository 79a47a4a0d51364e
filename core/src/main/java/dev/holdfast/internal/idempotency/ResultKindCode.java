package dev.holdfast.internal.idempotency;

import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult.Kind;

/** The number that is stored for the kind of a result. */
public final class ResultKindCode {
  private ResultKindCode() {}

  public static int of(Kind kind) {
    return switch (kind) {
      case RESULT -> 0;
      case REJECTION -> 1;
      case EXTERNAL -> 2;
      case TOO_LARGE -> 3;
    };
  }

  public static Kind kind(int code) {
    return switch (code) {
      case 0 -> Kind.RESULT;
      case 1 -> Kind.REJECTION;
      case 2 -> Kind.EXTERNAL;
      case 3 -> Kind.TOO_LARGE;
      default -> throw new IllegalArgumentException("unknown kind of a stored result: " + code);
    };
  }
}
