package dev.holdfast.spring;

import dev.holdfast.event.Worker;

/**
 * Changes the worker of an application before it is built. Handlers are beans of type {@link
 * dev.holdfast.event.EventHandler}; a customizer is for what properties cannot say.
 *
 * <p>Every bean of this type is called once, in Spring's order, on one thread, after the properties
 * and the handlers were applied.
 */
@FunctionalInterface
public interface HoldfastWorkerCustomizer {
  void customize(Worker.Builder worker);
}
