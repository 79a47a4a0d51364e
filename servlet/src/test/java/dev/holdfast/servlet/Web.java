package dev.holdfast.servlet;

import jakarta.servlet.ServletContext;
import java.util.function.Consumer;

/** A servlet container that runs. */
interface Web extends AutoCloseable {
  int port();

  @Override
  void close();

  /** Starts one on a free port. */
  interface Starter {
    Web start(Consumer<ServletContext> setUp);
  }
}
