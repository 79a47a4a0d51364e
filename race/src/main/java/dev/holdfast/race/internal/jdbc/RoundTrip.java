package dev.holdfast.race.internal.jdbc;

import dev.holdfast.race.internal.model.StepResult;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What is done on the real connection when a step has its turn. */
interface RoundTrip {

  /** What the driver answered, and what is recorded of it. */
  record Answer(@Nullable Object value, StepResult result) {}

  /** Something that answers nothing. */
  interface Silent {
    void make() throws SQLException;
  }

  Answer make() throws SQLException;

  static RoundTrip of(Silent silent) {
    return () -> {
      silent.make();
      return new Answer(null, StepResult.done());
    };
  }
}
