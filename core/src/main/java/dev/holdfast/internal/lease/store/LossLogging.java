package dev.holdfast.internal.lease.store;

/** A lease whose loss is logged by the service that holds it, such as an exclusive job. */
public interface LossLogging {
  /** Logs the loss of this lease at DEBUG instead of WARN. */
  void logLossAtDebug();
}
