package dev.holdfast.workflow;

import dev.holdfast.codec.Codec;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * A named workflow that any instance can resume, because its input is stored. Immutable; its body
 * must be thread-safe.
 *
 * @param name identifies the workflow in all instances; from 1 to 200 characters
 * @param inputCodec how the input is stored
 * @param resultCodec how the result is stored
 * @param body the work; every attempt runs it from its beginning, and recorded steps return at once
 */
public record Workflow<A extends @Nullable Object, T extends @Nullable Object>(
    String name, Codec<A> inputCodec, Codec<T> resultCodec, Body<A, T> body) {
  private static final int MAX_NAME_LENGTH = 200;

  public Workflow {
    StoredText.require(name, 1, MAX_NAME_LENGTH, "the name of a workflow");
    Require.notNull(inputCodec, "inputCodec");
    Require.notNull(resultCodec, "resultCodec");
    Require.notNull(body, "body");
  }

  /** A workflow of this name. */
  public static <A extends @Nullable Object, T extends @Nullable Object> Workflow<A, T> of(
      String name, Codec<A> inputCodec, Codec<T> resultCodec, Body<A, T> body) {
    return new Workflow<>(name, inputCodec, resultCodec, body);
  }

  /** The work of a workflow. */
  @FunctionalInterface
  public interface Body<A extends @Nullable Object, T extends @Nullable Object> {
    T run(A input, StepContext steps) throws Exception;
  }
}
