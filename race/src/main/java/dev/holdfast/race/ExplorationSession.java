package dev.holdfast.race;

import dev.holdfast.race.internal.explore.Explorer;
import dev.holdfast.race.internal.explore.Task;
import dev.holdfast.race.internal.explore.Unexplorable;
import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.run.Run;
import dev.holdfast.transaction.Isolation;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The common part of a race and a crash: the data source and the handling of the report. */
final class ExplorationSession {
  /** Creates the task of an isolation level. */
  interface Tasks {
    Task at(@Nullable Isolation level);
  }

  private static final String NO_DATA_SOURCE =
      "there is no data source: give the test class one field of the type DataSource, or use"
          + " race.dataSource(dataSource)";

  private final @Nullable String title;
  private final Consumer<RaceReport> onReport;
  private final Supplier<Optional<DataSource>> defaultDataSource;
  private AtomicReference<@Nullable Run> current = new AtomicReference<>();
  private @Nullable DataSource dataSource;
  private boolean explored;

  /**
   * Creates it.
   *
   * @param onReport receives the report
   * @param defaultDataSource the data source if none is set
   */
  ExplorationSession(
      @Nullable String title,
      Consumer<RaceReport> onReport,
      Supplier<Optional<DataSource>> defaultDataSource) {
    this.title = title;
    this.onReport = onReport;
    this.defaultDataSource = defaultDataSource;
  }

  static ExplorationSession withoutTest() {
    return new ExplorationSession(null, report -> {}, Optional::empty);
  }

  /** The name in the report: that of the user, else that of JUnit, else the default. */
  String title(String name, String defaultTitle) {
    if (!name.isEmpty()) {
      return name;
    }
    return title == null ? defaultTitle : title;
  }

  boolean explored() {
    return explored;
  }

  void use(DataSource used) {
    RaceDataSource wrapped = wrapped(used);
    if (wrapped == null) {
      dataSource = used;
      current = new AtomicReference<>();
    } else {
      dataSource = wrapped.raw();
      current = wrapped.current();
    }
  }

  private static @Nullable RaceDataSource wrapped(DataSource used) {
    try {
      return used.isWrapperFor(RaceDataSource.class) ? used.unwrap(RaceDataSource.class) : null;
    } catch (SQLException | RuntimeException notAWrapper) {
      return null;
    }
  }

  void point(StepKind kind, String name) {
    Run run = current.get();
    if (run != null) {
      run.point(kind, name);
    }
  }

  RaceReport explore(List<Isolation> levels, Tasks tasks) {
    Require.that(!explored, "this race was explored already: explore() is called once");
    explored = true;
    DataSource used = dataSource();
    List<Exploration> explorations = new ArrayList<>();
    if (levels.isEmpty()) {
      explorations.add(explore(tasks.at(null), used));
    }
    for (Isolation level : levels) {
      explorations.add(explore(tasks.at(level), used));
    }
    RaceReport report = new RaceReport(explorations);
    onReport.accept(report);
    return report;
  }

  private DataSource dataSource() {
    if (dataSource == null) {
      use(
          defaultDataSource
              .get()
              .orElseThrow(() -> new RaceSetupException(NO_DATA_SOURCE, /* cause= */ null)));
    }
    return Require.notNull(dataSource, "the data source");
  }

  private Exploration explore(Task task, DataSource used) {
    try {
      return Explorer.explore(task, used, current);
    } catch (Unexplorable refused) {
      throw new RaceSetupException(String.valueOf(refused.getMessage()), refused.getCause());
    } catch (SQLException failed) {
      // an exception without an SQLState is the race finder's and says what to do
      String own = failed.getSQLState() == null ? "" : "the race finder's own statement failed: ";
      throw new RaceSetupException(own + failed.getMessage(), failed);
    }
  }
}
