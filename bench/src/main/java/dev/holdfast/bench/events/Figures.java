package dev.holdfast.bench.events;

import dev.holdfast.bench.Turns;
import dev.holdfast.testing.TestSchema;
import java.util.ArrayList;
import java.util.List;

/**
 * What a contender reaches, in events per second, on the tables that it has made. For one thread.
 */
final class Figures {
  /** The statistics that a server in use has, and no checkpoint in the middle. */
  static final List<String> SETTLE_POSTGRESQL = List.of("vacuum analyze", "checkpoint");

  static final List<String> SETTLE_MARIADB = List.of();

  private final Contender contender;
  private final TestSchema schema;
  private final String[] settle;
  private final List<Double> enqueued = new ArrayList<>();
  private final List<Double> drained = new ArrayList<>();
  private int events;

  /**
   * @param settle statements to run on the schema before each step, not measured, so that none pays
   *     for what the one before has left
   */
  Figures(Contender contender, TestSchema schema, List<String> settle) {
    this.contender = contender;
    this.schema = schema;
    this.settle = settle.toArray(String[]::new);
  }

  /** Stores and drains this many events; answers how many per second it has drained. */
  double round(int events) throws Exception {
    this.events = events;
    schema.execute(settle);
    long start = System.nanoTime();
    contender.enqueue(events);
    enqueued.add(perSecond(System.nanoTime() - start));
    schema.execute(settle);
    double rate = perSecond(contender.drain(events).toNanos());
    drained.add(rate);
    return rate;
  }

  private double perSecond(long nanos) {
    return events * 1e9 / nanos;
  }

  /** The median of all rounds but the first, which has warmed it up. */
  double enqueued() {
    return Turns.median(enqueued.subList(1, enqueued.size()));
  }

  double drained() {
    return Turns.median(drained.subList(1, drained.size()));
  }

  String row() {
    return "%-18s %10d %12.0f %12.0f".formatted(contender.name(), events, enqueued(), drained());
  }
}
