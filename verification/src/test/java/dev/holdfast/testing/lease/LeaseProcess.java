package dev.holdfast.testing.lease;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.job.Job;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.StaleTokenException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process that wants leases; see {@link ForkedHolder}. */
final class LeaseProcess {
  static final Duration LEASE = Duration.ofSeconds(2);
  static final String NAME = "contended";

  private final Holdfast holdfast;
  private final HikariDataSource pool;

  private LeaseProcess(HikariDataSource pool) {
    this.pool = pool;
    this.holdfast = Holdfast.create(pool);
  }

  public static void main(String[] arguments) throws Exception {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(arguments[0]);
      pool.setUsername(arguments[1]);
      pool.setPassword(arguments[2]);
      pool.setMaximumPoolSize(12);
      LeaseProcess process = new LeaseProcess(pool);
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      say("ready");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
          case "hold" -> process.hold(in);
          case "job" -> process.job(in);
          case "watch" -> process.watch(in);
          case "storm" -> process.storm(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
          default -> throw new IllegalArgumentException(line);
        }
      }
    }
  }

  private static void say(String words) {
    System.out.println(words);
    System.out.flush();
  }

  /** Holds the lease, and writes under it when told to. */
  private void hold(BufferedReader in) throws Exception {
    Lease lease = holdfast.leases().acquire(LeaseRequest.of(NAME, LEASE).autoRenew());
    lease.onLost(loss -> say("lost"));
    say("held " + lease.token());
    in.readLine();
    try {
      holdfast
          .transactions()
          .run(
              tx -> {
                holdfast.fence().check(tx, NAME, lease.token());
                effect(tx.connection(), lease.token());
              });
      say("written");
    } catch (StaleTokenException e) {
      say("refused");
    }
    say(lease.release().name());
  }

  /** Keeps the lease, and tells how it looks from here: its own time, and what it has. */
  private void watch(BufferedReader in) throws Exception {
    Job job = holdfast.jobs().job(NAME, Duration.ofMinutes(1), Duration.ofMinutes(1));
    Lease lease = holdfast.leases().acquire(LeaseRequest.of(NAME, LEASE).autoRenew());
    lease.onLost(loss -> say("lost"));
    say("held " + lease.token());
    for (String line = in.readLine(); !line.equals("release"); line = in.readLine()) {
      switch (line) {
        case "time" -> say(Long.toString(System.currentTimeMillis()));
        case "look" -> say(lease.isValid() + " " + (lease.remaining().compareTo(LEASE) <= 0));
        case "wait" ->
            say(
                holdfast
                    .leases()
                    .call(
                        LeaseRequest.of("other", LEASE).waitTimeout(Duration.ofMinutes(1)),
                        other -> "waited"));
        case "run" -> say(job.run(run -> {}).getClass().getSimpleName());
        default -> throw new IllegalArgumentException(line);
      }
    }
    say(lease.release().name());
  }

  /** Runs a job until told to end. */
  private void job(BufferedReader in) throws Exception {
    holdfast
        .jobs()
        .job(NAME, LEASE, Duration.ofMillis(100))
        .run(
            run -> {
              say("held " + run.token());
              in.readLine();
            });
  }

  static void effect(Connection connection, long token) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement("insert into effects values (?)")) {
      insert.setLong(1, token);
      insert.executeUpdate();
    }
  }

  /** Threads that take the lease in turns, each so many times, and look whether they are alone. */
  private void storm(int threads, int each) throws Exception {
    List<String> troubles = java.util.Collections.synchronizedList(new ArrayList<>());
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  for (int turn = 0; turn < each; turn++) {
                    turn(troubles);
                  }
                } catch (RuntimeException | SQLException e) {
                  troubles.add(e.toString());
                }
              });
      all.add(thread);
      thread.start();
    }
    for (Thread thread : all) {
      thread.join();
    }
    say(troubles.isEmpty() ? "alone" : "troubles " + troubles.get(0).replace('\n', ' '));
  }

  private void turn(List<String> troubles) throws SQLException {
    Lease lease =
        holdfast
            .leases()
            .acquire(
                LeaseRequest.of(NAME, Duration.ofMinutes(1)).waitTimeout(Duration.ofMinutes(5)));
    try (Connection connection = pool.getConnection();
        PreparedStatement enter =
            connection.prepareStatement(
                "update judge set token = ?, turns = turns + 1 where token < ?");
        PreparedStatement look = connection.prepareStatement("select token from judge")) {
      enter.setLong(1, lease.token());
      enter.setLong(2, lease.token());
      if (enter.executeUpdate() != 1) {
        troubles.add("a greater token than " + lease.token() + " was there before");
      }
      try (ResultSet row = look.executeQuery()) {
        row.next();
        if (row.getLong(1) != lease.token()) {
          troubles.add("another came in beside " + lease.token());
        }
      }
    }
    if (lease.release() != Lease.ReleaseResult.RELEASED) {
      troubles.add("it was lost: " + lease.token());
    }
  }
}
