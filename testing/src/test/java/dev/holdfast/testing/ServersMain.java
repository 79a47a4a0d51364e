package dev.holdfast.testing;

import static java.util.stream.Collectors.joining;

import java.io.IOException;

/** Starts all the servers, prints the pids of all the processes below this one, and waits. */
final class ServersMain {

  private ServersMain() {}

  public static void main(String[] arguments) throws IOException {
    TestDatabase.postgreSql().newSchema();
    TestDatabase.mariaDb().newSchema();
    TestRedis.uri();
    System.out.println(
        ProcessHandle.current()
            .descendants()
            .map(process -> Long.toString(process.pid()))
            .collect(joining(" ")));
    while (System.in.read() >= 0) {}
  }
}
