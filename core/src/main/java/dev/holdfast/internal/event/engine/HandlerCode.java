package dev.holdfast.internal.event.engine;

import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Calls the code of handlers, and reports what it throws itself, apart from what the engine does.
 */
record HandlerCode(Consumer<Throwable> thrown) {
  <T> T call(Callable<T> code) throws Exception {
    try {
      return code.call();
    } catch (Throwable failure) {
      thrown.accept(failure);
      throw failure;
    }
  }
}
