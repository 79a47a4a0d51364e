package dev.holdfast.bench.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * What a team writes first, on the stack of the service: Spring MVC on Tomcat, a pool of as many
 * connections, and one insert for each request. It asks for no token and checks nothing.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class InsertServer {
  /** Is on the same class path, and is none of its business. */
  private static final String OURS = "dev.holdfast.spring.HoldfastAutoConfiguration";

  private static final String TABLE =
      """
      create table calls (
        id bigint generated always as identity primary key,
        url text not null, method text not null, body text,
        due_at timestamptz not null, status smallint not null, created_at timestamptz not null)
      """;

  private static final String INSERT =
      """
      insert into calls (url, method, body, due_at, status, created_at)
      values (?, ?, ?, statement_timestamp() + ? * interval '1 second', 0, statement_timestamp())
      returning id
      """;

  public static void main(String... args) throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    config.setUsername(args[1]);
    config.setPassword(args[2]);
    config.setMaximumPoolSize(Integer.parseInt(args[3]));
    HikariDataSource pool = new HikariDataSource(config);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(TABLE);
      statement.execute("create index on calls (due_at, id) where status = 0");
    }
    SpringApplication application = new SpringApplication(InsertServer.class);
    application.setDefaultProperties(
        Map.of(
            "server.port", "0",
            "server.address", "127.0.0.1",
            "spring.main.banner-mode", "off",
            "logging.level.root", "warn",
            "spring.threads.virtual.enabled", "true",
            "server.tomcat.max-keep-alive-requests", "10000",
            "spring.autoconfigure.exclude", OURS));
    application.addInitializers(
        context -> context.getBeanFactory().registerSingleton("dataSource", pool));
    var context = application.run();
    System.out.println("port " + context.getEnvironment().getProperty("local.server.port"));
  }

  /** One insert for each request. */
  @RestController
  static class Calls {
    private final DataSource dataSource;

    Calls(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    record Target(String url, String method, Object body) {}

    record Call(Target target, long after) {}

    record Created(long id, String status) {}

    @PostMapping("/calls")
    @ResponseStatus(HttpStatus.CREATED)
    Created create(@RequestBody Call call) throws SQLException {
      try (Connection connection = dataSource.getConnection();
          PreparedStatement insert = connection.prepareStatement(INSERT)) {
        insert.setString(1, call.target().url());
        insert.setString(2, call.target().method());
        insert.setString(3, String.valueOf(call.target().body()));
        insert.setLong(4, call.after());
        try (ResultSet created = insert.executeQuery()) {
          created.next();
          return new Created(created.getLong(1), "PENDING");
        }
      }
    }
  }
}
