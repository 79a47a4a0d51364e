package dev.holdfast.internal.event;

/** The text of a failure with its causes, as an event keeps it. */
public final class FailureText {
  private static final int MAX_CAUSES = 4;

  private FailureText() {}

  public static String of(Throwable failure) {
    StringBuilder text = new StringBuilder(one(failure));
    Throwable cause = failure.getCause();
    for (int depth = 1; depth < MAX_CAUSES && cause != null; depth++) {
      text.append("; caused by ").append(one(cause));
      cause = cause.getCause();
    }
    return text.toString();
  }

  private static String one(Throwable failure) {
    String type = failure.getClass().getName();
    try {
      String message = failure.getMessage();
      return message == null ? type : type + ": " + message;
    } catch (RuntimeException | Error ofTheUsersMessage) {
      return type;
    }
  }
}
