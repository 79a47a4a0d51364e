package dev.holdfast.schema;

import dev.holdfast.HoldfastException;
import dev.holdfast.transaction.SqlErrors;
import org.jspecify.annotations.Nullable;

/** A schema that Holdfast cannot work with or could not migrate, why, and what to do about it. */
public final class SchemaException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final SchemaProblem problem;

  SchemaException(SchemaProblem problem, String message) {
    this(problem, message, null);
  }

  SchemaException(SchemaProblem problem, String message, @Nullable Throwable cause) {
    super(problem.code(), message, cause);
    this.problem = problem;
  }

  /** What is wrong; where several things are, the one to look at first. */
  public SchemaProblem problem() {
    return problem;
  }

  @Override
  public boolean retryable() {
    return switch (problem) {
      case BUSY -> true;
      case FAILED, NOT_CREATED -> SqlErrors.retryable(getCause());
      default -> false;
    };
  }
}
