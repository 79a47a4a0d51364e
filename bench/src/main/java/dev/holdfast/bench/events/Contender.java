package dev.holdfast.bench.events;

import dev.holdfast.testing.TestSchema;
import java.time.Duration;

/**
 * One way of storing events and having them handled, by the settings that its authors recommend for
 * throughput.
 *
 * <p>Every contender stores the same: events that are due at once, with a payload of a few bytes;
 * and its handlers do the same: nothing but count.
 */
interface Contender extends AutoCloseable {
  /** Makes its tables in an empty schema, and a contender on them. */
  @FunctionalInterface
  interface Maker {
    Contender on(TestSchema schema) throws Exception;
  }

  String name();

  /** Stores this many events from one thread, in bulk, and returns when they are committed. */
  void enqueue(int events) throws Exception;

  /**
   * Starts its workers, has this many stored events handled, and stops its workers.
   *
   * @return the time from the start of the first handler, so that the workers' own start does not
   *     count, until all are handled and that is committed
   */
  Duration drain(int events) throws Exception;

  /** Frees everything but the tables, which end with the schema. */
  @Override
  void close();
}
