package dev.holdfast.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class EventHandlerTest {
  private static final EventType<String> TEXT = EventType.of("text", String.class);

  private final EventHandler<String> handler = EventHandler.of(TEXT, (text, context) -> {});

  @Test
  void theFirstMappingThatFitsDecides() {
    EventHandler<String> mapping =
        handler
            .onFailure(FileNotFoundException.class, gone -> Outcome.cancel("gone"))
            .onFailure(IOException.class, broken -> Outcome.fail("broken"))
            .retry(RetryPolicy.standard().attempts(2));

    assertThat(mapping.outcomeOf(new FileNotFoundException(), 1)).isEqualTo(Outcome.cancel("gone"));
    assertThat(mapping.outcomeOf(new IOException(), 1)).isEqualTo(Outcome.fail("broken"));
    assertThat(mapping.outcomeOf(new IllegalStateException(), 1))
        .isInstanceOf(Outcome.RetryAfter.class);
    assertThat(mapping.retryPolicy().maxAttempts()).isEqualTo(2);
  }

  @Test
  @SuppressWarnings("NullAway") // as callers without it may do
  void aMappingMustHaveAnOutcome() {
    EventHandler<String> mapping = handler.onFailure(IOException.class, broken -> null);

    assertThatThrownBy(() -> mapping.outcomeOf(new IOException(), 1))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("java.io.IOException");
  }

  @Test
  void everyOptionIsACopy() {
    EventHandler<String> changed =
        handler
            .timeout(Duration.ofSeconds(3))
            .completeImmediately()
            .maxCrashes(7)
            .retry(RetryPolicy.standard().attempts(2));

    assertThat(handler.timeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(handler.completesImmediately()).isFalse();
    assertThat(handler.maxCrashes()).isEmpty();
    assertThat(handler.hasCrashLimit()).isTrue();
    assertThat(handler.retryPolicy().maxAttempts()).isEqualTo(10);
    assertThat(changed.timeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(changed.completesImmediately()).isTrue();
    assertThat(changed.maxCrashes()).isEqualTo(OptionalInt.of(7));
    assertThat(changed.retryPolicy().maxAttempts()).isEqualTo(2);
    assertThat(handler.unlimitedCrashes().hasCrashLimit()).isFalse();
  }

  @Test
  void optionsOutOfRangeAreRejected() {
    assertThatThrownBy(() -> handler.timeout(Duration.ZERO)).hasMessageContaining("timeout");
    assertThatThrownBy(() -> handler.maxCrashes(0)).hasMessageContaining("maxCrashes");
    assertThatThrownBy(() -> EventHandler.batch(TEXT, 1001, items -> {}))
        .hasMessageContaining("maxSize");
    EventHandler<String> async =
        EventHandler.async(
            TEXT, (text, context) -> CompletableFuture.completedFuture(Outcome.complete()));
    assertThatThrownBy(async::completeImmediately)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("'text'");
  }
}
