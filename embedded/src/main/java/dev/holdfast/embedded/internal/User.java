package dev.holdfast.embedded.internal;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The user this JVM runs as. */
public final class User {

  private User() {}

  public static long id() {
    return new UnixSystem().getUid();
  }

  public static boolean isRoot() {
    return id() == 0;
  }

  public static boolean owns(Path path) throws IOException {
    return ((Integer) Files.getAttribute(path, "unix:uid")).longValue() == id();
  }
}
