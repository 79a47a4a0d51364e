package dev.holdfast.torture.history;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The append-only history of one process. Each line is handed to the kernel before {@link #add}
 * returns, so it survives a {@code kill -9} of the process. Thread-safe.
 */
public final class History implements AutoCloseable {
  private static final String SUFFIX = ".history";

  private final String process;
  private final OutputStream out;

  private History(String process, OutputStream out) {
    this.process = process;
    this.out = out;
  }

  /** The history of this process in a folder. */
  public static History open(Path folder, String process) {
    try {
      return new History(
          process,
          Files.newOutputStream(
              folder.resolve(process + SUFFIX),
              StandardOpenOption.CREATE,
              StandardOpenOption.APPEND));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void add(Kind kind, Object... arguments) {
    addAt(System.nanoTime(), kind, arguments);
  }

  /** Says that something was so at this time. */
  public void addAt(long nanos, Kind kind, Object... arguments) {
    List<String> texts = Stream.of(arguments).map(String::valueOf).toList();
    byte[] line = new Entry(nanos, process, kind, texts).toLine().getBytes(StandardCharsets.UTF_8);
    synchronized (this) {
      try {
        out.write(line);
      } catch (IOException e) {
        throw new UncheckedIOException("the history of " + process + " cannot be written", e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  /** All lines of all processes of a run, in the order of time; torn last lines are left out. */
  public static List<Entry> readAll(Path folder) throws IOException {
    List<Entry> entries = new ArrayList<>();
    List<Path> files;
    try (Stream<Path> list = Files.list(folder)) {
      files = list.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList();
    }
    for (Path file : files) {
      String text = Files.readString(file);
      int end = text.lastIndexOf('\n');
      if (end >= 0) {
        text.substring(0, end).lines().map(Entry::parse).forEach(entries::add);
      }
    }
    entries.sort(Comparator.comparingLong(Entry::nanos));
    return entries;
  }
}
