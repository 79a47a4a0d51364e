package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.transaction.Isolation;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What all runs of an exploration have in common.
 *
 * @param dataSource where actors get their connections from, without gates
 * @param isolation the level that connections begin with; null for the database's
 * @param forced whether the code cannot choose another
 * @param allowJvmLocks whether an actor may wait for a lock of this JVM
 * @param maxSteps after how many steps an actor is taken for endless
 * @param stepTimeout how long an actor may be on its way without coming to a step
 * @param otherThreads the names of threads that asked for connections and are no actor's
 * @param current the current run, for code that the actors call
 * @param strict whether everything may depend on everything, at levels where that is so or where it
 *     was seen that the code chooses such a level
 */
public record Setting(
    DataSource dataSource,
    Database database,
    List<ActorSpec> actors,
    @Nullable Isolation isolation,
    boolean forced,
    boolean allowJvmLocks,
    int maxSteps,
    Duration stepTimeout,
    Set<String> otherThreads,
    AtomicReference<@Nullable Run> current,
    AtomicBoolean strict) {

  /** Whether there is only one actor. */
  public boolean isAlone() {
    return actors.size() == 1;
  }

  public Setting with(List<ActorSpec> others) {
    return new Setting(
        dataSource,
        database,
        List.copyOf(others),
        isolation,
        forced,
        allowJvmLocks,
        maxSteps,
        stepTimeout,
        otherThreads,
        current,
        strict);
  }

  public Setting withMaxSteps(int maxSteps) {
    return new Setting(
        dataSource,
        database,
        actors,
        isolation,
        forced,
        allowJvmLocks,
        maxSteps,
        stepTimeout,
        otherThreads,
        current,
        strict);
  }

  public Setting at(Isolation level) {
    return new Setting(
        dataSource,
        database,
        actors,
        level,
        true,
        allowJvmLocks,
        maxSteps,
        stepTimeout,
        otherThreads,
        current,
        new AtomicBoolean(isStrict(level)));
  }

  /** Whether what transactions see at this level depends on what others have not committed. */
  public static boolean isStrict(@Nullable Isolation level) {
    return level == Isolation.SERIALIZABLE || level == Isolation.READ_UNCOMMITTED;
  }

  public List<String> names() {
    return actors.stream().map(ActorSpec::name).toList();
  }

  public int[] kinds() {
    return actors.stream().mapToInt(ActorSpec::kind).toArray();
  }
}
