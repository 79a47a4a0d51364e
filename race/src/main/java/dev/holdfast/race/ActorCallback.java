package dev.holdfast.race;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What an actor does, and its answer, which is compared with those of serial orders. */
@FunctionalInterface
public interface ActorCallback {
  /** Does it; the answer is compared by its text. */
  @Nullable Object ask(DataSource dataSource) throws Exception;
}
