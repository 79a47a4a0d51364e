package dev.holdfast.servlet;

import dev.holdfast.HoldfastException;

/** Ends a request with a {@link Problem}; {@link ProblemFilter} writes the response. */
public final class ProblemException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;

  ProblemException(Problem problem) {
    super(problem.code(), problem.detail(), null);
    this.problem = problem;
  }

  public Problem problem() {
    return problem;
  }
}
