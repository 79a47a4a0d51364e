package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.RejectedException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * An application as users write one: Spring MVC on Tomcat, Spring Security, a service with
 * {@code @Transactional}, and a database in memory. It has nothing of Holdfast but its settings,
 * and one exception.
 */
final class Shop implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final ConfigurableApplicationContext context;

  private Shop(ConfigurableApplicationContext context) {
    this.context = context;
  }

  static Shop open(List<String> properties, Class<?>... further) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "server.port=0",
                "server.address=127.0.0.1",
                "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                "holdfast.schema.mode=migrate"));
    all.addAll(properties);
    ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Beans.class)
            .sources(further)
            .properties(all.toArray(String[]::new))
            .run();
    return new Shop(context);
  }

  /** A request of {@code customer}, who is known by a password. */
  HttpRequest.Builder request(String path, String customer) {
    String password = customer + ":secret";
    return HttpRequest.newBuilder(
            URI.create(
                "http://127.0.0.1:"
                    + context.getEnvironment().getRequiredProperty("local.server.port")
                    + path))
        .header(
            "Authorization",
            "Basic "
                + Base64.getEncoder().encodeToString(password.getBytes(StandardCharsets.US_ASCII)));
  }

  HttpResponse<String> post(String path, String customer, String key)
      throws IOException, InterruptedException {
    return send(
        request(path, customer)
            .header("Idempotency-Key", key)
            .header("Content-Type", "text/plain")
            .POST(BodyPublishers.ofString("2 apples")));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  long orders() {
    return count("orders");
  }

  long records() {
    return count("holdfast_idempotency");
  }

  private long count(String table) {
    return jdbc().sql("SELECT count(*) FROM " + table).query(Long.class).single();
  }

  JdbcClient jdbc() {
    return context.getBean(JdbcClient.class);
  }

  @Override
  public void close() {
    context.close();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Orders.class, Counter.class})
  static class Beans {
    @Bean
    SecurityFilterChain security(HttpSecurity http) {
      return http.csrf(csrf -> csrf.disable())
          .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
          .httpBasic(Customizer.withDefaults())
          .build();
    }

    @Bean
    UserDetailsService customers() {
      return new InMemoryUserDetailsManager(
          User.withUsername("ana").password("{noop}secret").build(),
          User.withUsername("ben").password("{noop}secret").build());
    }
  }

  /** What the shop is for. */
  static class Orders {
    private final JdbcClient jdbc;

    Orders(JdbcClient jdbc, Holdfast migrated) {
      this.jdbc = jdbc;
      jdbc.sql("CREATE TABLE orders (id uuid, customer varchar(50), what varchar(50))").update();
    }

    @Transactional
    public String place(String customer, String what) {
      UUID id = UUID.randomUUID();
      jdbc.sql("INSERT INTO orders VALUES (?, ?, ?)").params(id, customer, what).update();
      return id.toString();
    }

    @Transactional
    public String placeAndFail(String customer, String what) {
      throw new IllegalStateException("broke after " + place(customer, what));
    }
  }

  /** Where orders are taken. */
  @RestController
  static class Counter {
    private final Orders orders;

    Counter(Orders orders) {
      this.orders = orders;
    }

    @PostMapping("/orders")
    @ResponseStatus(HttpStatus.CREATED)
    String place(Principal customer, @RequestBody String what) {
      return orders.place(customer.getName(), what);
    }

    @PutMapping("/orders")
    String put(Principal customer, @RequestParam String what) {
      return orders.place(customer.getName(), what);
    }

    @PostMapping("/broken")
    String fail(Principal customer, @RequestBody String what) {
      throw new IllegalStateException("broke after " + orders.place(customer.getName(), what));
    }

    @PostMapping("/caught")
    String goOn(Principal customer, @RequestBody String what) {
      try {
        return orders.placeAndFail(customer.getName(), what);
      } catch (IllegalStateException e) {
        return "all is well";
      }
    }

    @PostMapping("/refused")
    String refuse(Principal customer, @RequestBody String what) {
      throw new RejectedException("no more after " + orders.place(customer.getName(), what));
    }

    @PostMapping("/sold-out")
    String soldOut(Principal customer, @RequestBody String what) {
      String order = orders.place(customer.getName(), what);
      throw new ResponseStatusException(HttpStatus.CONFLICT, "sold out before " + order);
    }

    @PostMapping("/async")
    Callable<String> later(Principal customer, @RequestBody String what) {
      return () -> orders.place(customer.getName(), what);
    }
  }
}
