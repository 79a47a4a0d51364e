package dev.holdfast.race.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.model.Cell;
import dev.holdfast.race.internal.model.Cell.Kind;
import dev.holdfast.race.internal.model.TableContent;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is in the tables. */
abstract class ContentsContract extends DatabaseFixture {

  @Test
  void valuesBecomeTextThatCanBeCompared() throws Exception {
    given(
        "create table t (id int primary key, price numeric(10, 3), name varchar(20), used boolean,"
            + " changed timestamp, born date, ratio double precision, big bigint, blank varchar(5))",
        "insert into t values (1, 12.500, 'Ana', true, '2026-01-02 03:04:05', '2026-01-02',"
            + " 100.0, 9000000000000000000, null)");
    assertThat(row("t"))
        .containsExactly(
            new Cell(Kind.NUMBER, "1"),
            new Cell(Kind.NUMBER, "12.5"),
            new Cell(Kind.TEXT, "Ana"),
            new Cell(Kind.OTHER, "true"),
            new Cell(Kind.TIME, "2026-01-02T03:04:05"),
            new Cell(Kind.TIME, "2026-01-02"),
            new Cell(Kind.NUMBER, "100"),
            new Cell(Kind.NUMBER, "9000000000000000000"),
            Cell.NULL);
  }

  @Test
  void uuidsAreKnown() throws Exception {
    String uuid = "0b2a5f4e-7c1d-4e8a-9f3b-2d6c8e1a4b7f";
    given("create table t (id uuid)", "insert into t values ('" + uuid + "')");
    assertThat(row("t")).containsExactly(new Cell(Kind.UUID, uuid));
  }

  @Test
  void tablesAreReadTogether() throws Exception {
    given(
        "create table a (id int, doubled %s)".formatted(server().computed("id * 2")),
        "create table b (name varchar(5))",
        "create table c (id int)",
        "insert into a (id) values (1), (2)");
    for (int run = 0; run < 7; run++) {
      List<TableContent> read = database.read(Set.of("c", "a", "b"));
      assertThat(read).extracting(TableContent::table).containsExactly("a", "b", "c");
      assertThat(read.get(0).columns()).containsExactly("id", "doubled");
      assertThat(read.get(0).rows())
          .containsExactlyInAnyOrder(numbers("1", "2"), numbers("2", "4"));
      assertThat(read.get(1).columns()).containsExactly("name");
      assertThat(read.get(2).rows()).isEmpty();
    }
    assertThat(database.read(Set.of())).isEmpty();
  }

  private static List<Cell> numbers(String... numbers) {
    return List.of(numbers).stream().map(number -> new Cell(Kind.NUMBER, number)).toList();
  }

  @Test
  void itsTitleNamesItsVersion() {
    assertThat(database.title()).matches(database.product() + " \\d+\\.[\\d.]+( \\(.*\\))?");
    assertThat(database.product()).isEqualTo(server().database().name());
  }

  List<Cell> row(String table) throws SQLException {
    return database.read(Set.of(table)).get(0).rows().get(0);
  }
}
