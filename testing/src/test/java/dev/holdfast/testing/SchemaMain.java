package dev.holdfast.testing;

/** Makes a schema and prints its URL, then prints how many servers this JVM has started. */
final class SchemaMain {

  private SchemaMain() {}

  public static void main(String[] arguments) {
    String url =
        switch (arguments[0]) {
          case "postgresql" -> TestDatabase.postgreSql().newSchema().url();
          case "mariadb" -> TestDatabase.mariaDb().newSchema().url();
          case "mysql" -> TestDatabase.mySql().newSchema().url();
          case "h2" -> TestDatabase.h2().newSchema().url();
          case "redis" -> TestRedis.uri().toString();
          default -> throw new IllegalArgumentException(arguments[0]);
        };
    System.out.println(url);
    System.out.println(ProcessHandle.current().descendants().count());
  }
}
