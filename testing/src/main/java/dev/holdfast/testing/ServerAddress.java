package dev.holdfast.testing;

import static java.util.Locale.ROOT;

import java.util.Optional;

/** Where a server is, and who may use it. */
record ServerAddress(String url, String user, String password) {

  /**
   * The server that whoever runs the tests has given for this kind of server, as system properties
   * ({@code holdfast.test.postgresql.url}, {@code .user}, {@code .password}) or as environment
   * variables ({@code HOLDFAST_TEST_POSTGRESQL_URL}, ...).
   */
  static Optional<ServerAddress> given(String kind) {
    return setting(kind, "url")
        .map(
            url ->
                new ServerAddress(
                    url, setting(kind, "user").orElse(""), setting(kind, "password").orElse("")));
  }

  /** How to give the server of this kind, for messages. */
  static String howToGive(String kind) {
    return "give the URL of a server with -D%s or %s"
        .formatted(property(kind, "url"), variable(kind, "url"));
  }

  private static Optional<String> setting(String kind, String name) {
    return Optional.ofNullable(System.getProperty(property(kind, name)))
        .or(() -> Optional.ofNullable(System.getenv(variable(kind, name))))
        .filter(value -> !value.isBlank());
  }

  private static String property(String kind, String name) {
    return "holdfast.test." + kind + "." + name;
  }

  private static String variable(String kind, String name) {
    return property(kind, name).toUpperCase(ROOT).replace('.', '_');
  }
}
