package dev.holdfast.spring;

import dev.holdfast.event.Worker;

/**
 * Adds handlers and settings to the worker of an application, before it is started.
 *
 * <p>Every bean of this type is called once, in Spring's order, on one thread. Where there is none,
 * no worker is started.
 */
@FunctionalInterface
public interface HoldfastWorkerCustomizer {
  void customize(Worker.Builder worker);
}
