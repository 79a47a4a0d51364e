package dev.holdfast.race.internal.model;

/**
 * One value of a table or of a result, as text.
 *
 * @param text empty for NULL
 */
public record Cell(Kind kind, String text) {
  public static final Cell NULL = new Cell(Kind.NULL, "");

  /** What it is, as far as comparing goes. */
  public enum Kind {
    NULL,
    NUMBER,
    TEXT,
    /** A timestamp, date or time, in ISO form. */
    TIME,
    UUID,
    OTHER
  }

  @Override
  public String toString() {
    return switch (kind) {
      case NULL -> "NULL";
      case NUMBER, OTHER -> text;
      default -> "'" + text + "'";
    };
  }
}
