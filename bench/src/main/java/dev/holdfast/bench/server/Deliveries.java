package dev.holdfast.bench.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.holdfast.bench.HttpConnection;
import dev.holdfast.event.Queues;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Calls that the service has stored, and how fast it makes them once it may. */
final class Deliveries {
  private static final String QUEUE = "bench";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Service service;
  private final TestSchema schema;
  private final Queues queues;
  private final int receiver;

  Deliveries(Service service, TestSchema schema, Queues queues, int receiver) {
    this.service = service;
    this.schema = schema;
    this.queues = queues;
    this.receiver = receiver;
  }

  /**
   * Calls per second, from the first that is received until the end of the last is stored. They
   * wait in a paused queue until all of them are there.
   */
  double perSecond(int calls) throws Exception {
    queues.pause(QUEUE);
    service.store(calls, "http://127.0.0.1:" + receiver + "/hook", QUEUE);
    schema.execute("vacuum analyze", "checkpoint");
    long limit = System.nanoTime() + LIMIT.toNanos();
    try (HttpConnection connection = new HttpConnection(receiver)) {
      long before = count(connection);
      queues.resume(QUEUE);
      long start = System.nanoTime();
      while (count(connection) == before) {
        start = System.nanoTime();
        require(start < limit, "nothing was received");
        TimeUnit.MILLISECONDS.sleep(1);
      }
      while (count(connection) < before + calls || live() > 0) {
        require(System.nanoTime() < limit, live() + " calls are left");
        TimeUnit.MILLISECONDS.sleep(10);
      }
      long end = System.nanoTime();
      require(count(connection) == before + calls, "some were made twice");
      return calls * 1e9 / (end - start);
    }
  }

  private static long count(HttpConnection connection) throws Exception {
    byte[] request = "GET /count HTTP/1.1\r\nHost: receiver\r\n\r\n".getBytes(US_ASCII);
    return Long.parseLong(connection.send(request).body());
  }

  private long live() throws Exception {
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select count(*) from holdfast_event where queue = '" + QUEUE + "'")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException("the deliveries cannot be measured: " + otherwise);
    }
  }
}
