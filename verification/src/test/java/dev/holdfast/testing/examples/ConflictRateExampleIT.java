package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.Update;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A counter that everybody changes with a versioned update: the report says what to use instead.
 */
class ConflictRateExampleIT extends Shop {
  @BeforeEach
  void startCounting() {
    schema.execute(
        "create table counters (id bigint primary key, hits bigint, version bigint)",
        "insert into counters values (1, 0, 100)");
  }

  @Test
  void conflictsLeadToAdvice() {
    for (int version = 0; version < 100; version++) {
      long outdated = version;
      transactions.call(
          tx ->
              Update.table("counters")
                  .set("hits", 1)
                  .where("id", 1)
                  .version(outdated)
                  .named("count hits")
                  .apply(tx));
    }

    String report = holdfast.conflictRates().report();

    assertThat(report.lines())
        .anyMatch(line -> line.matches("count hits +100 +100 +0 +100\\.00 % +CHANGE"))
        .anyMatch(
            line ->
                line.startsWith("count hits: Do not read first and hope")
                    && line.contains("one conditional statement (Conditional)"));
  }
}
