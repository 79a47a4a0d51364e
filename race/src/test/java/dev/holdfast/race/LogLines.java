package dev.holdfast.race;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * All that is logged as a warning or worse, until it is closed: by SLF4J, which writes to {@code
 * System.err} in these tests, and by {@code java.util.logging}, which Hibernate uses.
 */
final class LogLines implements AutoCloseable {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final PrintStream before = System.err;
  private final Queue<String> records = new ConcurrentLinkedQueue<>();
  private final Logger root = Logger.getLogger("");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord made) {
          if (made.getLevel().intValue() >= Level.WARNING.intValue()) {
            records.add(made.getLevel() + " " + made.getMessage() + " " + made.getThrown());
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private LogLines() {
    System.setErr(new PrintStream(written, /* autoFlush= */ true, StandardCharsets.UTF_8));
    root.addHandler(handler);
  }

  static LogLines caught() {
    return new LogLines();
  }

  List<String> lines() {
    return Stream.concat(written.toString(StandardCharsets.UTF_8).lines(), records.stream())
        .filter(line -> !line.contains(" INFO "))
        .toList();
  }

  @Override
  public void close() {
    System.setErr(before);
    root.removeHandler(handler);
    before.print(written.toString(StandardCharsets.UTF_8));
  }
}
