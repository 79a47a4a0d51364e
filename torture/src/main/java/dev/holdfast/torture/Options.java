package dev.holdfast.torture;

import dev.holdfast.torture.cluster.FaultKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What a run is asked for.
 *
 * @param minutes how long there is load and faults; draining takes some more
 * @param pause the mean time between two faults
 * @param folder where the histories are kept
 */
public record Options(
    double minutes,
    long seed,
    Duration lease,
    Set<FaultKind> faults,
    Duration pause,
    int workers,
    int schedulers,
    Path folder) {

  /** How to call it. */
  public static final String USAGE =
      """
      usage: ./holdfast torture [--minutes N] [--seed S] [--lease SECONDS] [--faults KIND,KIND]
                                [--pause SECONDS] [--workers N]
        --minutes   how long faults are injected (2); draining and checking take about one more
        --seed      of the order of the faults (by chance, and printed)
        --lease     of instances and leases, in seconds (3)
        --faults    which kinds; by default all of: %s
        --pause     mean seconds between two faults (4)
        --workers   how many worker JVMs (3)
      or: ./holdfast torture --judge FOLDER, to judge the histories of an earlier run again""";

  static String usage() {
    return USAGE.formatted(
        String.join(", ", EnumSet.allOf(FaultKind.class).stream().map(FaultKind::label).toList()));
  }

  /**
   * Reads the arguments of the command.
   *
   * @throws IllegalArgumentException where they are not as {@link #USAGE} says
   */
  static Options parse(String[] arguments, Path home) {
    double minutes = 2;
    long seed = ThreadLocalRandom.current().nextLong(1, 1_000_000);
    double lease = 3;
    double pause = 4;
    int workers = 3;
    Set<FaultKind> faults = EnumSet.allOf(FaultKind.class);
    for (int i = 0; i < arguments.length; i += 2) {
      if (i + 1 == arguments.length) {
        throw new IllegalArgumentException(arguments[i] + " needs a value");
      }
      String value = arguments[i + 1];
      switch (arguments[i]) {
        case "--minutes" -> minutes = Double.parseDouble(value);
        case "--seed" -> seed = Long.parseLong(value);
        case "--lease" -> lease = Double.parseDouble(value);
        case "--pause" -> pause = Double.parseDouble(value);
        case "--workers" -> workers = Integer.parseInt(value);
        case "--faults" -> {
          faults = EnumSet.noneOf(FaultKind.class);
          for (String label : value.split(",", -1)) {
            faults.add(FaultKind.of(label.strip().toLowerCase(Locale.ROOT)));
          }
        }
        default -> throw new IllegalArgumentException("there is no option " + arguments[i]);
      }
    }
    return new Options(
        minutes,
        seed,
        millis(lease),
        faults,
        millis(pause),
        workers,
        2,
        home.resolve("target/torture/" + seed));
  }

  private static Duration millis(double seconds) {
    return Duration.ofMillis((long) (seconds * 1000));
  }
}
