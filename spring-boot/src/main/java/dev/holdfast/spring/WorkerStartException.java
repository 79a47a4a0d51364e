package dev.holdfast.spring;

import dev.holdfast.InvalidArgumentException;

/** The worker of an application was refused by its settings, or by the pool that it is on. */
final class WorkerStartException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  WorkerStartException(InvalidArgumentException cause) {
    super("the worker of Holdfast could not be started: " + cause.getMessage(), cause);
  }
}
