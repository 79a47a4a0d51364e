package dev.holdfast.race.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlTest {

  private static Sql sql(String text, String... params) {
    return Sql.of(text, List.of(params));
  }

  @Test
  void insertsBoundValues() {
    assertThat(sql("select  *\n from t\twhere a=? and b = ?", "'TEN'", "NULL").bound())
        .isEqualTo("select * from t where a='TEN' and b = NULL");
  }

  @Test
  void keepsQuotedQuestionMarks() {
    assertThat(
            sql(
                    """
                    select '?', 'it''s ?', "a?", `b?`, $$ ? $$, $x$ ? $$ $x$ -- why?
                      /* ? /* nested ? */ ? */
                      from t where a = ?\
                    """,
                    "5")
                .bound())
        .isEqualTo("select '?', 'it''s ?', \"a?\", `b?`, $$ ? $$, $x$ ? $$ $x$ from t where a = 5");
  }

  @Test
  void aBackslashBeforeAQuoteIsMySqls() {
    assertThat(sql("select 'it\\'s ?' from t where a = ?", "5").bound())
        .isEqualTo("select 'it\\'s ?' from t where a = 5");
    assertThat(sql("select 'a\\' from t where a = ?", "5").bound())
        .isEqualTo("select 'a\\' from t where a = 5");
  }

  @Test
  void anOperatorOfPostgreSqlIsNotAParameter() {
    assertThat(sql("select a ?? 'k', b::text from t where a = ?", "5").bound())
        .isEqualTo("select a ?? 'k', b::text from t where a = 5");
  }

  @Test
  void whatWasNotBoundStaysAQuestionMark() {
    assertThat(sql("select ? + ?", "1").bound()).isEqualTo("select 1 + ?");
  }

  @Test
  void aBoundValueIsNotReadAsSql() {
    Sql hostile = sql("select a from t where b = ?", "'x' from other; update t set a = 1");
    assertThat(hostile.reads()).containsExactly("t");
    assertThat(hostile.writes()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "select * from Coupons c where x = 1,                           select, coupons, ''",
    "select * from a join b on a.id = b.id,                         select, a b, ''",
    "'select * from a x, public.\"B\" y where 1 = 1',               select, a B, ''",
    "select * from a where id in (select id from b) for update,     select, a b, ''",
    "select * from a for no key update,                             select, a, ''",
    "update only public.a set x = 1 where id = 2,                   update, '', a",
    "update a set x = b.x from b where a.id = b.id,                 update, b, a",
    "delete from a where id = 1,                                    delete, '', a",
    "insert into a (x) select x from b,                             insert, b, a",
    "insert into a (x) values (1) on conflict do update set x = 2,  insert, '', a",
    "insert into a (x) values (1) on duplicate key update x = 2,    insert, '', a",
    "with c as (select 1 from b) update a set x = 1,                update, b, a",
    "select next_one(5),                                            select, '', ''",
    "select * from generate_series(1) g,                            select, '', ''",
    "vacuum,                                                        '', '', ''",
  })
  void theTablesAreSeen(String text, String verb, String reads, String writes) {
    Sql sql = sql(text);
    assertThat(sql.verb()).isEqualTo(verb);
    assertThat(String.join(" ", sql.reads())).isEqualTo(reads);
    assertThat(String.join(" ", sql.writes())).isEqualTo(writes);
  }

  @Test
  void thePartsOfAnUpdateAreSeen() {
    Sql sql =
        sql("update t set a = ?, b = b + greatest(1, 2), t.c = now() where id = ? and d", "5", "7");
    assertThat(sql.assignments()).containsOnlyKeys("a", "b", "c");
    assertThat(sql.where()).isEqualTo("id = 7 and d");
    assertThat(sql.unboundWhere()).isEqualTo("id = ? and d");
    assertThat(sql.equalities()).containsExactly(Map.entry("id", "7"));
  }

  @Test
  void theColumnsOfAnInsertAreSeen() {
    assertThat(sql("insert into t (a, \"B\") values (1, f(x))").insertColumns())
        .containsExactly("a", "B");
    assertThat(sql("insert into t values (1, 2)").insertColumns()).isEmpty();
  }

  @Test
  void lockingAndAddingUpAreSeen() {
    assertThat(sql("select a from t for update skip locked").locks()).isTrue();
    assertThat(sql("select a from t where b = 'for update'").locks()).isFalse();
    assertThat(sql("select count(*) from t").aggregates()).isTrue();
    assertThat(sql("select count from t").aggregates()).isFalse();
  }

  @Test
  void aTextThatIsCutOffIsStillShown() {
    assertThat(sql("select 'never ends").bound()).isEqualTo("select 'never ends");
    assertThat(sql("select /* never ends").bound()).isEqualTo("select");
    assertThat(sql("insert into").writes()).isEmpty();
    assertThat(sql("insert into t (a, b").insertColumns()).isEmpty();
    assertThat(sql("update t set").assignments()).isEmpty();
    assertThat(sql("").bound()).isEmpty();
  }
}
