package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.KillableRedis;
import dev.holdfast.testing.TestRedis;
import io.lettuce.core.RedisClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** 32 threads in four processes acquire a lease in turns, 10,000 times, judged by their tokens. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class RedisLeaseProcessesIT {
  private static final int PROCESSES = 4;
  private static final int THREADS = 8;

  @Test
  void onOneRedisOneIsInsideAtATime() throws Exception {
    storm("single", TestRedis.uri().toString());
  }

  @Test
  void onAClusterOneIsInsideAtATime() throws Exception {
    try (TestCluster cluster = TestCluster.start()) {
      storm("cluster", cluster.uri());
    }
  }

  @Test
  void withASentinelOneIsInsideAtATime() throws Exception {
    try (TestSentinel sentinel = TestSentinel.start()) {
      storm("single", sentinel.uri());
    }
  }

  private static void storm(String kind, String uri) throws Exception {
    int each = Integer.getInteger("holdfast.test.handovers", 10_000) / PROCESSES / THREADS;
    List<Process> processes = new ArrayList<>();
    try (KillableRedis judge = KillableRedis.start();
        ProcessesRedis redis = ProcessesRedis.open(kind, uri, "test-" + UUID.randomUUID())) {
      try {
        for (int i = 0; i < PROCESSES; i++) {
          processes.add(fork(redis, judge));
        }
        List<BufferedReader> answers = new ArrayList<>();
        for (Process process : processes) {
          BufferedReader answer = process.inputReader(UTF_8);
          assertThat(answer.readLine()).isEqualTo("ready");
          answers.add(answer);
        }
        for (Process process : processes) {
          Writer orders = process.outputWriter(UTF_8);
          orders.write(THREADS + " " + each + "\n");
          orders.flush();
        }
        for (BufferedReader answer : answers) {
          assertThat(answer.readLine()).isEqualTo("alone");
        }
      } finally {
        processes.forEach(Process::destroyForcibly);
      }
      assertThat(turns(judge)).isEqualTo(each * PROCESSES * THREADS);
    }
  }

  private static int turns(KillableRedis judge) {
    RedisClient client = RedisClient.create(judge.uri());
    try {
      return Integer.parseInt(client.connect().sync().get(RedisLeasesMain.TURNS));
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
  }

  private static Process fork(ProcessesRedis redis, KillableRedis judge) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(redis.main(RedisLeasesMain.class));
    command.add(judge.uri());
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }
}
