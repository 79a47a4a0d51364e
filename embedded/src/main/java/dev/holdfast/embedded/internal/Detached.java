package dev.holdfast.embedded.internal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** How to start a process that signals to the JVM's process group, such as Ctrl-C, do not reach. */
public final class Detached {

  private Detached() {}

  /** A command in a session of its own. */
  public static List<String> command(List<String> command) {
    if (Stream.of("/usr/bin/setsid", "/bin/setsid").map(Path::of).noneMatch(Files::isExecutable)) {
      return command;
    }
    return Stream.concat(Stream.of("setsid"), command.stream()).toList();
  }
}
