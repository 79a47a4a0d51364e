package dev.holdfast.bench.leases;

/** One way of having a name for oneself. */
interface Locks extends AutoCloseable {
  /** Gets a name that is free, and gives it back. */
  void pair(String name) throws Exception;

  /** Waits until it has a name that others want too, does something, and gives it back. */
  default void wait(String name, Runnable inside) throws Exception {
    throw new UnsupportedOperationException("it does not wait");
  }

  @Override
  default void close() {}
}
