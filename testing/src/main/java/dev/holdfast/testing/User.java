package dev.holdfast.testing;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The user this JVM runs as. */
final class User {

  private User() {}

  static long id() {
    return new UnixSystem().getUid();
  }

  static boolean isRoot() {
    return id() == 0;
  }

  static boolean owns(Path path) throws IOException {
    return ((Integer) Files.getAttribute(path, "unix:uid")).longValue() == id();
  }
}
