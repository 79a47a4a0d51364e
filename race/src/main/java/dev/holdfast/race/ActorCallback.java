package dev.holdfast.race;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The code of an actor that returns a result, which is compared with serial executions. */
@FunctionalInterface
public interface ActorCallback {
  /**
   * Runs the code. It must get its connections from this data source or from a {@link
   * RaceDataSource}.
   *
   * @return the result, which is compared by its {@code toString()}
   */
  @Nullable Object call(DataSource dataSource) throws Exception;
}
