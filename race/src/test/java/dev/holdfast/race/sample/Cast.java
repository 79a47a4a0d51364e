package dev.holdfast.race.sample;

import dev.holdfast.race.Race;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Who takes part in a race: mostly two or three who do the same, each under a name. */
final class Cast {

  /** What somebody does. */
  interface Act {
    void by(DataSource ds, String who) throws Exception;
  }

  /** What somebody does, with an answer. */
  interface Ask {
    @Nullable Object by(DataSource ds, String who) throws Exception;
  }

  private Cast() {}

  static Consumer<Race> two(Act act) {
    return each(act, "Ana", "Ben");
  }

  static Consumer<Race> three(Act act) {
    return each(act, "Ana", "Ben", "Cleo");
  }

  static Consumer<Race> twoAnswers(Ask ask) {
    return race -> {
      for (String who : List.of("Ana", "Ben")) {
        race.actorWithResult(who, ds -> ask.by(ds, who));
      }
    };
  }

  static Consumer<Race> each(Act act, String... names) {
    return race -> {
      for (String who : names) {
        race.actor(who, ds -> act.by(ds, who));
      }
    };
  }
}
