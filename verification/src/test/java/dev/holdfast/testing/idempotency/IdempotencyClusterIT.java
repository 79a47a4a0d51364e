package dev.holdfast.testing.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same request from 64 threads in four processes, of which one may be killed. */
class IdempotencyClusterIT {
  private static final int PROCESSES = 4;

  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  abstract static class Cluster {
    private final TestSchema schema;
    private final List<ForkedOrderer> processes = new ArrayList<>();

    Cluster(TestDatabase database) {
      schema = database.newSchema();
      Holdfast.create(schema.dataSource()).migrations().migrate();
      schema.execute("create table orders (item varchar(100) not null)");
    }

    private void start() throws Exception {
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(new ForkedOrderer(schema));
      }
      for (ForkedOrderer process : processes) {
        assertThat(process.next()).isEqualTo("ready");
      }
    }

    @AfterEach
    void end() {
      processes.forEach(ForkedOrderer::close);
      schema.close();
    }

    private long orders(String key) {
      return schema.count("select count(*) from orders where item = '" + key + "'");
    }

    /** Asserts that all of them together say that one took effect, and answer the same. */
    private static void assertOne(List<ForkedOrderer> processes) throws Exception {
      long executed = 0;
      Set<String> answers = new HashSet<>();
      for (ForkedOrderer process : processes) {
        String[] words = process.next().split(" ", -1);
        assertThat(words).hasSize(3);
        executed += Long.parseLong(words[1]);
        answers.add(words[2]);
      }
      assertThat(executed).isEqualTo(1);
      assertThat(answers).hasSize(1);
      assertThat(answers.iterator().next()).doesNotContain("+");
    }

    @Test
    void executesOnceAcrossKilledInstances() throws Exception {
      start();
      for (int round = 0; round < 10; round++) {
        for (ForkedOrderer process : processes) {
          process.tell("order k" + round);
        }
        assertOne(processes);
        assertThat(orders("k" + round)).isEqualTo(1);
      }

      ForkedOrderer victim = processes.get(0);
      List<ForkedOrderer> others = processes.subList(1, PROCESSES);
      victim.tell("stick stuck");
      assertThat(victim.next()).isEqualTo("at work");
      for (ForkedOrderer process : others) {
        process.tell("order stuck");
      }
      victim.kill();

      assertOne(others);
      assertThat(orders("stuck")).isEqualTo(1);
    }
  }

  @Nested
  class PostgreSql extends Cluster {
    PostgreSql() {
      super(TestDatabase.postgreSql());
    }
  }

  @Nested
  class MariaDb extends Cluster {
    MariaDb() {
      super(TestDatabase.mariaDb());
    }
  }

  @Nested
  class H2 extends Cluster {
    H2() {
      super(TestDatabase.h2());
    }
  }
}
