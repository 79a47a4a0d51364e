package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Health.Issue;
import dev.holdfast.Health.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CombinedServiceTest {
  private final List<String> calls = new ArrayList<>();
  private final Fake first = new Fake("first");
  private final Fake second = new Fake("second");
  private final BackgroundService both = BackgroundService.combine("both", first, second);

  private final class Fake implements BackgroundService {
    private final String name;
    private boolean running;
    private boolean refusesToStart;
    private boolean ends = true;
    private Health health = Health.running(List.of(), Map.of("size", "1"));

    Fake(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public void start() {
      if (refusesToStart) {
        throw new IllegalStateException(name + " is closed");
      }
      calls.add("start " + name);
      running = true;
    }

    @Override
    public boolean stop(Duration timeout) {
      calls.add("stop " + name);
      running = false;
      return ends;
    }

    @Override
    public boolean isRunning() {
      return running;
    }

    @Override
    public Health health() {
      return running ? health : Health.stopped();
    }

    @Override
    public void close() {
      calls.add("close " + name);
      running = false;
    }
  }

  @Test
  void startsInOrderAndStopsInReverse() {
    both.start();
    assertThat(both.isRunning()).isTrue();
    assertThat(both.stop(Duration.ofSeconds(1))).isTrue();
    both.close();

    assertThat(both.name()).isEqualTo("both");
    assertThat(both.isRunning()).isFalse();
    assertThat(calls)
        .containsExactly(
            "start first",
            "start second",
            "stop second",
            "stop first",
            "close second",
            "close first");
  }

  @Test
  void allAreStoppedAlsoIfOneHasNotEnded() {
    both.start();
    second.ends = false;
    assertThat(both.stop(Duration.ofSeconds(1))).isFalse();
    assertThat(first.running).isFalse();
  }

  @Test
  void failedStartStopsStartedServices() {
    second.refusesToStart = true;
    assertThatThrownBy(both::start).hasMessage("second is closed");
    assertThat(calls).containsExactly("start first", "stop first");
  }

  @Test
  void theHealthIsTheWorstWithTheIssuesOfAll() {
    assertThat(both.health().status()).isEqualTo(Status.STOPPED);
    both.start();
    assertThat(both.health().status()).isEqualTo(Status.UP);
    assertThat(both.health().details())
        .containsEntry("first", "up")
        .containsEntry("second.size", "1");

    Issue issue = new Issue("too-late", "it is late", Duration.ofSeconds(3));
    first.health = Health.running(List.of(issue), Map.of());
    assertThat(both.health().status()).isEqualTo(Status.DEGRADED);
    assertThat(both.health().issues()).containsExactly(issue);

    second.health = new Health(Status.DOWN, List.of(), Map.of());
    assertThat(both.health().status()).isEqualTo(Status.DOWN);
    assertThat(both.health().isWorking()).isFalse();
  }

  @Test
  void badArgumentsAreRejected() {
    assertThatThrownBy(() -> BackgroundService.combine("none"))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> both.stop(Duration.ofDays(8)))
        .isInstanceOf(InvalidArgumentException.class);
  }
}
