package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import java.util.Objects;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An application that uses jOOQ. */
final class JooqIT {
  private static final Table<Record> COUNTER = table(name("counter"));
  private static final Field<Integer> ID = field(name("id"), SQLDataType.INTEGER);
  private static final Field<Integer> N = field(name("n"), SQLDataType.INTEGER);

  private static Counter counter;

  @BeforeAll
  static void open() {
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    counter = Counter.onPostgreSql();
  }

  @AfterAll
  static void close() {
    counter.close();
  }

  private static DSLContext jooq(DataSource dataSource) {
    return DSL.using(dataSource, SQLDialect.POSTGRES);
  }

  private static void upByReading(DSLContext jooq) {
    jooq.transaction(
        inside -> {
          Integer n = inside.dsl().select(N).from(COUNTER).where(ID.eq(1)).fetchOne(N);
          inside
              .dsl()
              .update(COUNTER)
              .set(N, Objects.requireNonNull(n) + 1)
              .where(ID.eq(1))
              .execute();
        });
  }

  private static void upWithLock(DSLContext jooq) {
    jooq.transaction(
        inside -> {
          Integer n = inside.dsl().select(N).from(COUNTER).where(ID.eq(1)).forUpdate().fetchOne(N);
          inside
              .dsl()
              .update(COUNTER)
              .set(N, Objects.requireNonNull(n) + 1)
              .where(ID.eq(1))
              .execute();
        });
  }

  @Test
  void aBugIsFound() {
    RaceReport report = counter.race().actors(2, ds -> upByReading(jooq(ds))).explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
    assertThat(report.text()).contains("JooqIT.java:");
  }

  @Test
  void itsTwinIsFine() {
    DataSource wrapped = RaceDataSource.wrap(counter.dataSource());
    DSLContext jooq = jooq(wrapped);

    RaceReport report = Race.create(wrapped).actors(2, ds -> upWithLock(jooq)).explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.isExhaustive()).isTrue();
  }
}
