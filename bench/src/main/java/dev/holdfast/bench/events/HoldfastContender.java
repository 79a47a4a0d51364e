package dev.holdfast.bench.events;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** Holdfast with its default settings. */
final class HoldfastContender implements Contender {
  private static final int CONNECTIONS = 5;
  private static final EventType<Noop> NOOP = EventType.of(BatchedSql.TYPE, Noop.class);

  private final DataSource dataSource;
  private final Holdfast holdfast;

  /** What each event carries. */
  record Noop(int n) {}

  HoldfastContender(TestSchema schema) {
    this.dataSource = schema.dataSource(CONNECTIONS);
    this.holdfast = Holdfast.create(dataSource);
    holdfast.migrations().migrate();
  }

  @Override
  public String name() {
    return "Holdfast";
  }

  @Override
  public void enqueue(int events) {
    long scheduled =
        holdfast
            .events()
            .scheduleAll(IntStream.range(0, events).mapToObj(n -> NOOP.event(new Noop(n))));
    BatchedSql.requireAll((int) scheduled, events);
  }

  @Override
  public Duration drain(int events) throws Exception {
    Handled handled = new Handled(events);
    Worker worker = holdfast.worker().handle(NOOP, (noop, context) -> handled.add(1)).start();
    try {
      return handled.awaitStored(dataSource, "select exists (select 1 from holdfast_event)");
    } finally {
      worker.close();
    }
  }

  @Override
  public void close() {}
}
