package dev.holdfast.web.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.queue.QueueView;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the verdict says of what is known. */
class VerdictTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static QueueView queue(String name, boolean paused, long due, Duration oldest) {
    return new QueueView(name, paused, due, due, 0, oldest, null, null);
  }

  private static Verdict of(long alive, long failed, QueueView... queues) {
    return Verdict.of(
        List.of(queues),
        alive,
        failed,
        HOUR,
        queue -> queue.equals("lonely") ? List.of("welcome") : List.of());
  }

  @Test
  void namesEveryProblemTheWorstFirst() {
    Verdict verdict =
        of(
            2,
            315,
            queue("fine", false, 3, Duration.ofSeconds(2)),
            queue("lonely", false, 1, Duration.ofMinutes(5)),
            queue("stopped", true, 25, Duration.ofSeconds(1)),
            queue("slow", false, 7, Duration.ofMinutes(20)));
    assertThat(verdict.level()).isEqualTo("critical");
    assertThat(verdict.text())
        .isEqualTo(
            "7 events of the queue slow are overdue, the oldest by 20 min: none of them is being"
                + " processed");
    assertThat(verdict.problems())
        .extracting(Verdict.Problem::text)
        .containsExactly(
            verdict.text(),
            "1 event of the queue lonely is overdue, the oldest by 5 min: no instance has a handler"
                + " for the type welcome",
            "25 events are due, but the queue stopped is paused",
            "315 events failed in the last hour");
    assertThat(verdict.problems())
        .extracting(Verdict.Problem::level)
        .containsExactly("critical", "warning", "warning", "warning");
  }

  @Test
  void saysWhetherAnyInstanceIsAlive() {
    assertThat(of(0, 0).level()).isEqualTo("warning");
    Verdict due = of(0, 0, queue("a", false, 1, Duration.ofSeconds(1)));
    assertThat(due.level()).isEqualTo("critical");
    assertThat(due.text()).isEqualTo("No instance is alive: nothing is processed");
  }

  @Test
  void isContentWithoutProblems() {
    assertThat(of(1, 0, queue("a", true, 0, Duration.ZERO)))
        .isEqualTo(new Verdict("ok", "All events are on time", null));
  }
}
