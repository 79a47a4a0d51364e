package dev.holdfast.bench.server;

import dev.holdfast.bench.HttpConnection;
import dev.holdfast.bench.HttpConnection.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Clients that send the same request again and again, each on its own connection. */
final class Load implements AutoCloseable {
  private static final int CREATED = 201;

  private final byte[] request;
  private final List<HttpConnection> connections = new ArrayList<>();
  private final ExecutorService threads;

  Load(int port, int clients, byte[] request) throws Exception {
    this.request = request;
    for (int client = 0; client < clients; client++) {
      connections.add(new HttpConnection(port));
    }
    threads = Executors.newFixedThreadPool(clients);
  }

  /** How many were accepted in a second. */
  double perSecond(Duration time) throws Exception {
    long start = System.nanoTime();
    long end = start + time.toNanos();
    List<Callable<Integer>> clients = new ArrayList<>();
    connections.forEach(connection -> clients.add(() -> send(connection, end)));
    int accepted = 0;
    for (Future<Integer> client : threads.invokeAll(clients)) {
      accepted += client.get();
    }
    return accepted * 1e9 / (System.nanoTime() - start);
  }

  private int send(HttpConnection connection, long end) throws Exception {
    int accepted = 0;
    while (System.nanoTime() < end) {
      Answer answer = connection.send(request);
      if (answer.status() != CREATED) {
        throw new IllegalStateException("not accepted: " + answer);
      }
      accepted++;
    }
    return accepted;
  }

  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    for (HttpConnection connection : connections) {
      connection.close();
    }
  }
}
