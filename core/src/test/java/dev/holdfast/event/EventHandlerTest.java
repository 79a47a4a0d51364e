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

    HandlerOptions options = mapping.spec().options();

    assertThat(options.after(new FileNotFoundException(), 1)).isEqualTo(Outcome.cancel("gone"));
    assertThat(options.after(new IOException(), 1)).isEqualTo(Outcome.fail("broken"));
    assertThat(options.after(new IllegalStateException(), 1))
        .isInstanceOf(Outcome.RetryAfter.class);
    assertThat(options.retries().maxAttempts()).isEqualTo(2);
  }

  @Test
  @SuppressWarnings("NullAway") // as callers without it may do
  void aMappingMustHaveAnOutcome() {
    HandlerOptions options = handler.onFailure(IOException.class, broken -> null).spec().options();

    assertThatThrownBy(() -> options.after(new IOException(), 1))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("java.io.IOException");
  }

  @Test
  void everyOptionIsACopy() {
    HandlerOptions before = handler.spec().options();

    HandlerOptions after =
        handler.timeout(Duration.ofSeconds(3)).completeImmediately().maxCrashes(7).spec().options();

    assertThat(handler.spec().options()).isEqualTo(before).isEqualTo(HandlerOptions.DEFAULTS);
    assertThat(before.timeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(before.immediate()).isFalse();
    assertThat(after.timeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(after.immediate()).isTrue();
    assertThat(after.maxCrashes()).isEqualTo(OptionalInt.of(7));
    assertThat(handler.unlimitedCrashes().spec().options().hasCrashLimit()).isFalse();
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
