package dev.holdfast.race.internal.run;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An actor as the test gives it.
 *
 * @param body what it does
 * @param compared whether what it returns is looked at
 * @param kind actors with the same number do exactly the same, and are interchangeable
 * @param crashes whether it crashes once, and is run again
 */
public record ActorSpec(String name, Body body, boolean compared, int kind, boolean crashes) {

  /** The code of an actor. */
  public interface Body {
    @Nullable Object run(DataSource dataSource) throws Exception;
  }

  public ActorSpec crashing() {
    return new ActorSpec(name, body, compared, kind, true);
  }
}
