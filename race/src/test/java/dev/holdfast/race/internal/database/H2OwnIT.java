package dev.holdfast.race.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** What only H2 has. */
final class H2OwnIT extends DatabaseFixture {
  @Override
  Server server() {
    return Server.H2;
  }

  @Test
  void actorWaitsForItsOwnLockTimeout() throws Exception {
    Actor ana = actor();
    assertThat(Query.text(ana.raw, "select lock_timeout()")).isEqualTo("60007");
    database.leave(ana.raw);
    assertThat(Query.text(ana.raw, "select lock_timeout()")).isEqualTo("2000");
    ana.run("set lock_timeout 50");
    database.enter(ana.raw);
    database.leave(ana.raw);
    assertThat(Query.text(ana.raw, "select lock_timeout()")).isEqualTo("50");
  }

  @Test
  void namesMissingPrivilege() throws Exception {
    schema.execute(
        "create table t (id int)",
        "create user plain password 'x'",
        "grant all on schema public to plain");
    String url = schema.url().replace(";DB_CLOSE_DELAY=-1", "");
    try (Database plain = Databases.open(as(url, "plain", "x"))) {
      assertThat(plain.reportsWaits()).isFalse();
      assertThat(plain.whyNoWaits()).contains("ALTER USER PLAIN ADMIN TRUE");
      plain.remember();
      schema.execute("insert into t values (1)");
      plain.reset(Set.of("t"));
      assertThat(plain.read(Set.of("t")).get(0).rows()).isEmpty();
    }
  }

  @Test
  void functionsAreUnclearAndSequencesSpread() throws Exception {
    given(
        "create table t (id int)",
        "create sequence numbers",
        "create alias absolute for 'java.lang.Math.abs(int)'");
    assertThat(written("select absolute(1)")).isEqualTo(database.tables());
    assertThat(database.isGenerated(schema.count("select next value for numbers"))).isTrue();
  }
}
