package dev.holdfast.testing;

/** A library that only some users of this module need, and that they add themselves. */
enum OptionalDependency {
  EMBEDDED("dev.holdfast.embedded.internal.Binaries", "dev.holdfast:holdfast-embedded"),
  POOL("com.zaxxer.hikari.HikariDataSource", "com.zaxxer:HikariCP");

  private final String type;
  private final String artifact;

  OptionalDependency(String type, String artifact) {
    this.type = type;
    this.artifact = artifact;
  }

  /**
   * Checks that the library is on the class path.
   *
   * @param use what needs it, for the message
   * @param alternative what to do without it
   * @throws IllegalStateException if it is not on the class path
   */
  void require(String use, String alternative) {
    try {
      Class.forName(type, false, OptionalDependency.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(
          "%s needs %s on the class path: add it to the test dependencies, or %s"
              .formatted(use, artifact, alternative),
          e);
    }
  }
}
