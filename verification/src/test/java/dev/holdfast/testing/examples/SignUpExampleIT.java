package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.CreateResult;
import dev.holdfast.testing.ConcurrentActors;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sign-up form is sent twice: one account, and both requests see it. */
class SignUpExampleIT extends Shop {
  @BeforeEach
  void openTheDoor() {
    schema.execute(
        "create table users (id bigserial primary key, email varchar(100) unique, name"
            + " varchar(100))");
  }

  private long signUp(String email, String name) {
    return transactions.call(
        tx -> {
          CreateResult result =
              CreateIfAbsent.table("users").key("email", email).set("name", name).apply(tx);
          return result.row().number("id");
        });
  }

  @Test
  void oneAccountForEightRequests() {
    List<Long> ids =
        ConcurrentActors.run(8, request -> signUp("ana@example.org", "Ana")).resultsOrThrow();

    // which number it is, nobody knows: one who came too late may have taken some before it
    assertThat(schema.count("select count(*) from users")).isEqualTo(1);
    assertThat(ids).hasSize(8).containsOnly(schema.count("select id from users"));
  }
}
