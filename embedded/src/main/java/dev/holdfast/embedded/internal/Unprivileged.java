package dev.holdfast.embedded.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** How root runs a program that refuses to run as root. */
public final class Unprivileged {

  private static final String NOBODY = "65534";

  private Unprivileged() {}

  /**
   * The words to put before a command that works in this folder; none for an ordinary user.
   *
   * <p>In a user namespace without mappings root is nobody special and still owns its files. Where
   * containers forbid namespaces, the folder is given to the user nobody, who runs the command.
   */
  public static List<String> prefix(Path folder) {
    if (!User.isRoot()) {
      return List.of();
    }
    if (succeeds("unshare", "--user", "true")) {
      return List.of("unshare", "--user");
    }
    if (!succeeds("chown", "-R", NOBODY + ":" + NOBODY, folder.toString())) {
      throw new IllegalStateException(
          "root can neither make a user namespace nor give " + folder + " to the user nobody");
    }
    return List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
  }

  private static boolean succeeds(String... command) {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + command[0], e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
