package dev.holdfast.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import dev.holdfast.workflow.Workflow;
import dev.holdfast.workflow.Workflows;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workflows of several processes, of which some are killed or stopped. */
public abstract class WorkflowProcessesContract extends IdempotencyTests {
  /** An empty place that other processes find, for one test. */
  public interface Place extends IdempotencyStoreFixture {
    /** The class whose main method ends in {@link WorkflowTestProcess#run}, and its arguments. */
    List<String> main();
  }

  /** A process, seen from the test. */
  protected final class Forked {
    private final Process process;
    private final Writer in;

    private Forked() throws IOException {
      Path errors = Files.createTempFile("holdfast-claims-", ".log");
      errors.toFile().deleteOnExit();
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.addAll(((Place) place).main());
      process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      in = process.outputWriter(UTF_8);
      Thread reader = new Thread(this::listen);
      reader.setDaemon(true);
      reader.start();
    }

    private void listen() {
      try (BufferedReader out = process.inputReader(UTF_8)) {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
          said.add(line);
        }
      } catch (IOException e) {
        said.add("ended"); // killed in the middle of a word, or of none
      }
    }

    public void ask(String key, int threads) throws IOException {
      in.write(key + " " + threads + "\n");
      in.flush();
    }

    /** As {@code kill -9}: the process has no chance to say anything to anybody. */
    public void kill() throws InterruptedException {
      process.destroyForcibly().waitFor();
    }

    /** Stops the process as a suspended machine would, or lets it go on. */
    void signal(String name) throws IOException, InterruptedException {
      int answer = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
      assertThat(answer).isZero();
    }
  }

  private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
  private final List<Forked> processes = new ArrayList<>();

  /** All steps that were run, as "effect key step key-for-others". */
  private final List<String> effects = new ArrayList<>();

  protected WorkflowProcessesContract(Supplier<? extends Place> places) {
    super(places);
  }

  @AfterEach
  final void end() throws Exception {
    for (Forked process : processes) {
      process.kill();
    }
  }

  protected final Forked fork() throws Exception {
    Forked forked = new Forked();
    processes.add(forked);
    hears("ready");
    return forked;
  }

  /** Waits until a process says something that begins so; steps that are run are counted. */
  protected final String hears(String beginning) throws InterruptedException {
    for (; ; ) {
      String next = said.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
      assertThat(next).as("what a process says, which should be %s", beginning).isNotNull();
      String words = Objects.requireNonNull(next);
      if (words.startsWith("effect ")) {
        effects.add(words);
      } else if (!words.equals("ended")) {
        assertThat(words).startsWith(beginning);
        return words;
      }
    }
  }

  private List<String> effectsOf(String name, String step) {
    return effects.stream()
        .filter(words -> words.startsWith("effect " + name + " " + step + " "))
        .toList();
  }

  @Test
  void manyThreadsExecuteOnce() throws Exception {
    for (int i = 0; i < 4; i++) {
      fork();
    }
    for (int round = 0; round < 3; round++) {
      String name = "many" + round;
      for (Forked process : processes) {
        process.ask(name, 16);
      }
      List<String> answers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        answers.add(hears("done " + name + " "));
      }
      assertThat(answers.stream().distinct()).hasSize(1);
      assertThat(answers.get(0)).doesNotContain("+");
      for (int step = 0; step < WorkflowTestProcess.STEPS; step++) {
        assertThat(effectsOf(name, "s" + step)).hasSize(1);
      }
      assertThat(record(name).attempts()).isEqualTo(1);
    }
  }

  @Test
  void resumesFromLastStepAfterEveryCrash() throws Exception {
    Forked victim = fork();
    List<String> names = new ArrayList<>();
    for (int step = 0; step < WorkflowTestProcess.STEPS; step++) {
      names.add("in" + step + "-");
      names.add("after" + step + "-");
    }
    for (String end : new String[] {"retried", "completed"}) {
      for (String name : names) {
        victim.ask(name + end, 1);
        hears("hanging");
      }
    }
    victim.kill();

    Forked other = fork();
    List<String> answers = new ArrayList<>();
    for (String name : names) {
      other.ask(name + "retried", 2);
      answers.add(hears("done " + name + "retried "));
    }
    Workflow<String, String> flow = WorkflowTestProcess.flow(effects::add);
    Workflows claims = claimsHere();
    await(
        "all must be completed",
        () -> {
          int unused = claims.recovery(flow).recoverNow();
          return names.stream().allMatch(name -> status(name + "completed") == Status.COMPLETED);
        });

    for (String end : new String[] {"retried", "completed"}) {
      for (String name : names) {
        for (int step = 0; step < WorkflowTestProcess.STEPS; step++) {
          boolean inFlight = name.equals("in" + step + "-");
          assertThat(effectsOf(name + end, "s" + step))
              .as("step %s of %s", step, name + end)
              .hasSize(inFlight ? 2 : 1);
          assertThat(effectsOf(name + end, "s" + step).stream().distinct()).hasSize(1);
        }
        assertThat(record(name + end).attempts()).isEqualTo(2);
      }
    }
    for (int i = 0; i < names.size(); i++) {
      IdempotencyResult<String> again = claims.run(flow, key(names.get(i) + "retried"), "order");
      assertThat(answers.get(i)).endsWith(" " + again.orElseThrow());
    }
  }

  /** In this process, on the same place. */
  protected Workflows claimsHere() {
    return Workflows.create(store);
  }

  @Test
  void suspendedProcessCannotWrite() throws Exception {
    Forked zombie = fork();
    zombie.ask("pause", 1);
    hears("hanging");
    zombie.signal("STOP");
    ClaimRequest thief = request("pause");
    assertThat(takenOver(thief).steps()).containsExactly(step("before", "1"));
    StoredResult reply = answer("thief");
    assertThat(store.record(hold(thief), step("mine", "3"), LONG)).isTrue();

    zombie.signal("CONT");

    assertThat(hears("interrupted")).isEqualTo("interrupted false");
    hears("refused");
    assertThat(hears("lost")).isEqualTo("lost false");
    assertThat(record("pause").steps()).containsExactly("before", "mine");
    assertThat(status("pause")).isEqualTo(Status.IN_PROGRESS);
    assertThat(store.complete(hold(thief), reply, DAY)).isTrue();
    assertThat(done(request("pause"))).isEqualTo(reply);
  }
}
