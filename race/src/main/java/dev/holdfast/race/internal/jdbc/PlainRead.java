package dev.holdfast.race.internal.jdbc;

import java.util.List;
import java.util.Set;

/** Whether a statement certainly neither changes nor locks anything, judged by its text. */
final class PlainRead {
  private static final Set<String> FIRST =
      Set.of("select", "values", "with", "show", "explain", "table", "describe", "desc");

  private static final Set<String> CHANGES =
      words("insert update delete merge into lock analyze call nextval next_val");

  /** What may stand before a parenthesis without being called. */
  private static final Set<String> GRAMMAR =
      words(
          """
          select from where and or not in exists any some all as on using over partition by order
          having group union except intersect distinct values when then else case between like
          ilike is limit offset fetch join lateral filter within with recursive materialized array
          row end interval window explain escape xor div mod unique sets
          varchar char character varying nvarchar text numeric decimal dec float double real int
          integer bigint smallint tinyint unsigned signed binary varbinary bit time timestamp
          datetime
          """);

  private static final Set<String> HARMLESS =
      words(
          """
          count sum min max avg stddev stddev_pop stddev_samp variance var_pop var_samp bool_and
          bool_or every string_agg array_agg group_concat listagg
          row_number rank dense_rank ntile lag lead first_value last_value nth_value percent_rank
          cume_dist percentile_cont percentile_disc mode
          coalesce nullif greatest least if ifnull nvl nvl2 isnull decode
          lower upper initcap length char_length character_length octet_length concat concat_ws
          substring substr left right trim ltrim rtrim btrim lpad rpad replace translate repeat
          reverse position locate instr strpos split_part regexp_replace regexp_like regexp_matches
          regexp_match regexp_substr starts_with ascii chr space md5 sha256 encode
          abs round ceil ceiling floor trunc truncate sign sqrt power pow exp ln log mod div
          cast convert try_cast to_char to_number to_date to_timestamp date_format str_to_date
          format
          extract date_part date_trunc date_add date_sub dateadd datediff date_diff timestampdiff
          timestampadd age now current_timestamp current_date current_time localtimestamp localtime
          clock_timestamp statement_timestamp transaction_timestamp curdate curtime sysdate
          utc_timestamp unix_timestamp from_unixtime make_date make_timestamp make_interval year
          month day hour minute second date quarter week dayofweek dayofmonth dayofyear
          array_length cardinality unnest array_position array_to_string any_value generate_series
          system_range row_to_json to_json to_jsonb grouping rollup cube
          version database schema current_schema current_database current_user user pg_typeof
          uuid gen_random_uuid random_uuid
          """);

  private PlainRead() {}

  /** Of the words and signs of one statement. */
  static boolean is(List<String> tokens) {
    String first = tokens.stream().filter(token -> !token.equals("(")).findFirst().orElse("");
    if (!FIRST.contains(first) || tokens.contains(SqlTokens.DOUBT)) {
      return false;
    }
    for (int i = 0; i < tokens.size(); i++) {
      if (CHANGES.contains(tokens.get(i)) || locks(tokens, i) || calls(tokens, i)) {
        return false;
      }
    }
    return true;
  }

  /** {@code for share}, {@code for key share}, {@code in share mode}; {@code next value}. */
  private static boolean locks(List<String> tokens, int i) {
    if (i == 0) {
      return false;
    }
    String before = tokens.get(i - 1);
    return switch (tokens.get(i)) {
      case "share" -> before.equals("for") || before.equals("key") || before.equals("in");
      case "value" -> before.equals("next");
      default -> false;
    };
  }

  private static boolean calls(List<String> tokens, int i) {
    if (i + 1 >= tokens.size() || !tokens.get(i + 1).equals("(")) {
      return false;
    }
    String name = tokens.get(i);
    char start = name.charAt(0);
    boolean named = Character.isLetter(start) || start == '_' || start == '"' || start == '`';
    boolean qualified = i > 0 && tokens.get(i - 1).equals(".");
    return named && (qualified || !isHarmless(name));
  }

  private static boolean isHarmless(String name) {
    return GRAMMAR.contains(name)
        || HARMLESS.contains(name)
        || name.startsWith("json_")
        || name.startsWith("jsonb_");
  }

  private static Set<String> words(String text) {
    return Set.copyOf(List.of(text.strip().split("\\s+")));
  }
}
