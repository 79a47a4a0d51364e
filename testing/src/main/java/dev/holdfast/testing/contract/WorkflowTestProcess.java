package dev.holdfast.testing.contract;

import dev.holdfast.LeaseLostException;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.workflow.StepContext;
import dev.holdfast.workflow.Workflow;
import dev.holdfast.workflow.Workflows;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * An instance that works under claims, for the main method of a process of {@link
 * WorkflowProcessesContract}. Says {@code ready}; for each line with a key and a number of threads,
 * has so many run the flow with that key at once. It says {@code effect}, the key, the step and its
 * key for others whenever a step is run, and {@code done}, the key and all different answers. At
 * the first attempt of a key such as {@code in1-} it hangs in that step before it is recorded, of
 * {@code after1-} when it is, and says {@code hanging}. Ends when its input ends.
 */
public final class WorkflowTestProcess {
  static final Duration LEASE = Duration.ofSeconds(3);
  static final int STEPS = 3;

  /** How the workflows of such a process are made. */
  public static final IdempotencyOptions OPTIONS =
      IdempotencyOptions.builder().leaseDuration(LEASE).waitTimeout(Duration.ofSeconds(60)).build();

  private final Workflows claims;
  private final Workflow<String, String> flow = flow(WorkflowTestProcess::say);

  private WorkflowTestProcess(Workflows claims) {
    this.claims = claims;
  }

  /** Does what it is told on the standard input. */
  public static void run(Workflows claims) throws IOException {
    WorkflowTestProcess process = new WorkflowTestProcess(claims);
    say("ready");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", -1);
      new Thread(() -> process.work(words[0], Integer.parseInt(words[1]))).start();
    }
    System.exit(0); // whatever still hangs
  }

  static IdempotencyKey key(String name) {
    return IdempotencyKey.of("pay", name);
  }

  private void work(String name, int threads) {
    if (name.startsWith("pause")) {
      pause(name);
      return;
    }
    List<String> answers =
        ConcurrentActors.run(threads, index -> claims.run(flow, key(name), "order").orElseThrow())
            .resultsOrThrow();
    say("done " + name + " " + String.join("+", answers.stream().distinct().toList()));
  }

  static Workflow<String, String> flow(Consumer<String> say) {
    return new Workflow<>(
        "steps",
        Codec.text(),
        Codec.text(),
        (input, claim) -> {
          String name = claim.key().key();
          if (name.startsWith("tx")) {
            return inTransaction(claim, say);
          }
          StringBuilder answer = new StringBuilder(input);
          for (int i = 0; i < STEPS; i++) {
            answer.append('-').append(step(claim, i, say));
          }
          return answer.toString();
        });
  }

  private static String step(StepContext claim, int i, Consumer<String> say) {
    String name = claim.key().key();
    String value =
        claim.step(
            "s" + i,
            Codec.text(),
            () -> {
              say.accept("effect " + name + " s" + i + " " + claim.idempotencyKey("s" + i));
              hang(claim, name.startsWith("in" + i + "-"), say);
              return UUID.randomUUID().toString();
            });
    hang(claim, name.startsWith("after" + i + "-"), say);
    return value;
  }

  private static String inTransaction(StepContext claim, Consumer<String> say) throws SQLException {
    String name = claim.key().key();
    String value =
        claim.transactionalStep(
            "order",
            Codec.text(),
            tx -> {
              try (PreparedStatement insert =
                  tx.connection().prepareStatement("insert into orders (name) values (?)")) {
                insert.setString(1, name);
                insert.executeUpdate();
              }
              hang(claim, name.startsWith("txin-"), say);
              return UUID.randomUUID().toString();
            });
    hang(claim, name.startsWith("txafter-"), say);
    return value;
  }

  private static void hang(StepContext claim, boolean here, Consumer<String> say) {
    if (here && claim.attempt() == 1) {
      say.accept("hanging");
      for (; ; ) {
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          say.accept("interrupted");
        }
      }
    }
  }

  /** Works until it is told that its claim is lost, and then does what zombies do. */
  private void pause(String name) {
    try {
      claims.run(
          IdempotencyRequest.of(key(name), Codec.text()).fingerprint(IdempotencyTests.PAYLOAD),
          claim -> {
            claim.step("before", Codec.text(), () -> "1");
            say("hanging");
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException e) {
              say("interrupted " + claim.isLeaseValid());
            }
            try {
              claim.step("late", Codec.text(), () -> "2");
            } catch (LeaseLostException e) {
              say("refused");
            }
            return "zombie";
          });
      say("published");
    } catch (LeaseLostException e) {
      say("lost " + Thread.currentThread().isInterrupted());
    }
  }

  private static synchronized void say(String words) {
    System.out.println(words);
    System.out.flush();
  }
}
