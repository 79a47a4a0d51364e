package dev.holdfast.torture.history;

import java.util.Arrays;
import java.util.List;

/**
 * One line of a history.
 *
 * @param nanos by {@code System.nanoTime()}, which all processes of a Linux machine share
 * @param process the name of the process and its incarnation, such as {@code w1.2}
 */
public record Entry(long nanos, String process, Kind kind, List<String> arguments) {
  private static final int FIXED = 3;

  public String argument(int index) {
    return arguments.get(index);
  }

  public long number(int index) {
    return Long.parseLong(arguments.get(index));
  }

  /** The name of the process without its incarnation. */
  public String node() {
    int dot = process.indexOf('.');
    return dot < 0 ? process : process.substring(0, dot);
  }

  public String toLine() {
    StringBuilder line =
        new StringBuilder().append(nanos).append('\t').append(process).append('\t').append(kind);
    for (String argument : arguments) {
      line.append('\t').append(argument.replaceAll("[\\t\\r\\n]+", " "));
    }
    return line.append('\n').toString();
  }

  /**
   * Reads what {@link #toLine} wrote.
   *
   * @throws IllegalArgumentException where it is not a whole line, as after a kill
   */
  public static Entry parse(String line) {
    String[] parts = line.split("\t", -1);
    if (parts.length < FIXED) {
      throw new IllegalArgumentException("not a line of a history: " + line);
    }
    return new Entry(
        Long.parseLong(parts[0]),
        parts[1],
        Kind.valueOf(parts[2]),
        List.copyOf(Arrays.asList(parts).subList(FIXED, parts.length)));
  }
}
