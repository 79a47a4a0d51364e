package dev.holdfast.bench.server;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.HttpConnection;
import dev.holdfast.bench.Results;
import dev.holdfast.bench.Turns;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.io.PrintStream;
import java.time.Duration;

/**
 * The service as a process, against what a team would write first.
 *
 * <p>Accepted: {@code POST /v1/events} on 32 connections, against one insert for each request on
 * the same stack. Delivered: stored calls to a fast receiver, against the same Apache client, which
 * sends the same signed calls without storing anything. All are processes of their own on one
 * machine and one durable PostgreSQL, measured in turns.
 */
public final class ServerBench {
  private static final int CLIENTS = 32;
  private static final int CONNECTIONS = 20;
  private static final int IN_FLIGHT = 64;

  private ServerBench() {}

  public static void run(boolean quick, Results results) throws Exception {
    PrintStream out = results.out();
    TestDatabase database = TestDatabase.durablePostgreSql();
    String classes = System.getProperty("java.class.path");
    // its own classes, and all that the service has
    String stack =
        classes.substring(0, classes.indexOf(':') + 1)
            + System.getProperty("holdfast.server.classpath", "");
    try (TestSchema ours = database.newSchema();
        TestSchema theirs = database.newSchema();
        Service service = Service.start(ours, CONNECTIONS);
        Program inserts =
            Program.java(
                stack,
                InsertServer.class,
                theirs.url(),
                theirs.user(),
                theirs.password(),
                Integer.toString(CONNECTIONS));
        Program receiver = Program.java(classes, Receiver.class)) {
      out.println("database: durable PostgreSQL; processes: service, insert per request, receiver");
      out.println("accepting on " + CLIENTS + " connections, in turns, after a warm-up");
      accept(quick, results, service, inserts);
      out.println("delivering to a fast receiver, in turns");
      int port = Integer.parseInt(receiver.awaitLine("port (\\d+)"));
      try (Program bare =
          Program.java(classes, BareSender.class, Integer.toString(port), IN_FLIGHT + "")) {
        bare.awaitLine("(ready)");
        deliver(
            quick,
            results,
            new Deliveries(service, ours, Holdfast.create(ours.dataSource()).queues(), port),
            bare);
      }
      results.atMost("server.rss-mb", 400, (double) service.program().peakMemory());
    }
  }

  private static void accept(boolean quick, Results results, Service service, Program inserts)
      throws Exception {
    int port = Integer.parseInt(inserts.awaitLine("port (\\d+)"));
    Duration slice = Duration.ofSeconds(quick ? 3 : 10);
    String body =
        "{\"target\":{\"url\":\"http://127.0.0.1:7999/hook\",\"method\":\"POST\",\"body\":%s},\"delay\":3600}"
            .formatted(Payload.BODY);
    try (Load ours = new Load(service.port(), CLIENTS, service.newEvent("PT1H"));
        Load theirs = new Load(port, CLIENTS, HttpConnection.post("/calls", "", body))) {
      Turns turns =
          Turns.of(6, quick ? 5 : 11, () -> ours.perSecond(slice), () -> theirs.perSecond(slice));
      results
          .out()
          .printf(
              "accepted/s     %8.0f   insert per request %8.0f%n", turns.first(), turns.second());
      results.atLeast("server.accept.vs-insert", 1.0, turns);
    }
  }

  private static void deliver(boolean quick, Results results, Deliveries deliveries, Program bare)
      throws Exception {
    int calls = quick ? 20_000 : 100_000;
    Turns turns =
        Turns.of(
            2,
            quick ? 5 : 9,
            () -> deliveries.perSecond(calls),
            () -> {
              bare.tell(Integer.toString(calls));
              return Double.parseDouble(bare.awaitLine("^([0-9.E]+)$"));
            });
    results
        .out()
        .printf("delivered/s    %8.0f   bare Apache client %8.0f%n", turns.first(), turns.second());
    results.atLeast("server.deliveries.vs-httpclient", 0.5, turns);
  }
}
