package dev.holdfast.testing;

import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** The kinds of servers that tests use, which may be fewer than there are. */
final class Selection {
  private static final String PROPERTY = "holdfast.test.databases";

  private Selection() {}

  /** Aborts the test if the system property leaves this kind of server out. */
  static void require(String kind) {
    String selected = System.getProperty(PROPERTY, "");
    if (!selected.isBlank() && !List.of(selected.trim().split("\\s*,\\s*")).contains(kind)) {
      Assumptions.abort(kind + " is left out by -D" + PROPERTY + "=" + selected);
    }
  }
}
