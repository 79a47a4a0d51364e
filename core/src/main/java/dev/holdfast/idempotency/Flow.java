package dev.holdfast.idempotency;

import dev.holdfast.internal.Require;
import org.jspecify.annotations.Nullable;

/**
 * Work in steps that can be gone on with by any instance, because its input is kept: whoever began
 * it may be gone. Immutable; its work must be thread-safe.
 *
 * @param name by which instances know that it is the same work; from 1 to 200 characters
 * @param inputs how the input is kept
 * @param replies how the answer is kept
 * @param work what is done; it runs again from its beginning, and its finished steps answer at once
 */
public record Flow<I extends @Nullable Object, T extends @Nullable Object>(
    String name, ReplyCodec<I> inputs, ReplyCodec<T> replies, FlowWork<I, T> work) {
  private static final int LONGEST_NAME = 200;

  public Flow {
    IdempotencyKey.requireText(name, 1, LONGEST_NAME, "the name of a flow");
    Require.notNull(inputs, "inputs");
    Require.notNull(replies, "replies");
    Require.notNull(work, "work");
  }

  /** What a flow does. */
  @FunctionalInterface
  public interface FlowWork<I extends @Nullable Object, T extends @Nullable Object> {
    T run(I input, Claim claim) throws Exception;
  }
}
