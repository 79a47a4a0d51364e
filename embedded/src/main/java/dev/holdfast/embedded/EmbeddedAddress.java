package dev.holdfast.embedded;

/**
 * Where an embedded database is, and who may use it. Immutable.
 *
 * @param url for JDBC; the port is another one after each start
 */
public record EmbeddedAddress(String url, String user, String password) {
  static EmbeddedAddress of(int port, String password) {
    return new EmbeddedAddress(
        "jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", password);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return url;
  }
}
