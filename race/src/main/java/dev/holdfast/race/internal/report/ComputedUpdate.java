package dev.holdfast.race.internal.report;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/**
 * A number that was read, made more or less, and written: what a statement can do by itself.
 *
 * @param sign -1 if it became less, 1 if it became more, 0 if that is not known
 * @param amount by how much, if the statement says it; a {@code ?} otherwise
 */
record ComputedUpdate(String column, int sign, String amount) {
  private static final String NUMBER = "-?[0-9]+(\\.[0-9]+)?";

  /** Nothing if the new value is no such number. */
  static Optional<ComputedUpdate> of(String column, Optional<String> before, List<Token> after) {
    if (after.size() == 3 && after.get(0).name().equals(column) && after.get(1).isOneOf("-", "+")) {
      return Optional.of(
          new ComputedUpdate(column, after.get(1).is("-") ? -1 : 1, after.get(2).text()));
    }
    if (after.size() != 1 || !after.get(0).text().matches(NUMBER)) {
      return Optional.empty();
    }
    if (before.isEmpty()) {
      return Optional.of(new ComputedUpdate(column, 0, "?"));
    }
    if (!before.get().matches(NUMBER)) {
      return Optional.empty();
    }
    int sign = new BigDecimal(after.get(0).text()).compareTo(new BigDecimal(before.get()));
    return sign == 0 ? Optional.empty() : Optional.of(new ComputedUpdate(column, sign, "?"));
  }

  /**
   * The statement, with the check that a decrease needs.
   *
   * @param limited whether an increase needs one, too
   */
  Fix fix(Sql update, boolean limited) {
    String table = update.writes().iterator().next();
    String computed =
        "UPDATE " + table + " SET " + column + " = " + column + (sign < 0 ? " - ?" : " + ?");
    String statement =
        amount.equals("?")
            ? computed + " WHERE " + Words.shortened(update.where(), 120)
            : Words.shortened(update.bound(), 200);
    String guard = "ConditionalUpdate.table(\"" + table + "\").where(…)";
    return switch (sign) {
      case -1 ->
          new Fix(
              "Compute and check in the UPDATE, and continue only if it changed 1 row.",
              statement + " AND " + column + " >= " + amount,
              guard + ".decrease(\"" + column + "\", …)");
      case 1 ->
          limited
              ? new Fix(
                  "Compute and check in the UPDATE, and continue only if it changed 1 row.",
                  statement + " AND " + column + " + " + amount + " <= …",
                  guard + ".increase(\"" + column + "\", …).upTo(…)")
              : new Fix(
                  "Compute in the UPDATE.", statement, guard + ".increase(\"" + column + "\", …)");
      default -> new Fix("Compute in the UPDATE.", statement, "");
    };
  }
}
