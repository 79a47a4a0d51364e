package dev.holdfast.server.remote;

import dev.holdfast.HoldfastException;

/** What the service has refused, or that it cannot be reached, as a line for a person. */
final class RemoteException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final int status;

  RemoteException(String message) {
    this(0, message);
  }

  /**
   * @param status what the service answered, 0 where nothing
   */
  RemoteException(int status, String message) {
    super("service-request-failed", message, null);
    this.status = status;
  }

  int status() {
    return status;
  }
}
