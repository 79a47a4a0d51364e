package dev.holdfast.testing.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;

/**
 * Records where virtual threads wait without letting go of the thread that carries them. Until Java
 * 23 every driver with {@code synchronized} does; since then nobody has to.
 */
final class Pinning implements AutoCloseable {
  private final Recording recording = new Recording();

  Pinning() {
    recording
        .enable("jdk.VirtualThreadPinned")
        .withThreshold(Duration.ofMillis(20))
        .withStackTrace();
    recording.start();
  }

  /** What was recorded with something of ours on its stack; stops it. */
  List<String> ours() throws IOException {
    recording.stop();
    Path file = Files.createTempFile("holdfast-pinning", ".jfr");
    try {
      recording.dump(file);
      return RecordingFile.readAllEvents(file).stream()
          .map(Object::toString)
          .filter(event -> event.contains("dev.holdfast"))
          .toList();
    } finally {
      Files.delete(file);
    }
  }

  @Override
  public void close() {
    recording.close();
  }
}
