package dev.holdfast.idempotency.internal;

import dev.holdfast.idempotency.StoredReply.Kind;

/** The number by which the kind of a reply is stored. */
public final class ReplyCode {
  private ReplyCode() {}

  public static int of(Kind kind) {
    return switch (kind) {
      case ANSWER -> 0;
      case REFUSAL -> 1;
      case REFERENCE -> 2;
      case UNKEPT -> 3;
    };
  }

  public static Kind kind(int code) {
    return switch (code) {
      case 0 -> Kind.ANSWER;
      case 1 -> Kind.REFUSAL;
      case 2 -> Kind.REFERENCE;
      case 3 -> Kind.UNKEPT;
      default -> throw new IllegalArgumentException("the kind of a reply is not known: " + code);
    };
  }
}
