package dev.holdfast.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ColumnsTest {
  @Test
  void namesEachColumnOnce() {
    for (String first : List.of("id", "Id", "\"Id\"", "`ID`")) {
      for (String second : List.of("id", "ID", "\"id\"", "\"Id\"", "`Id`")) {
        assertThatThrownBy(() -> ColumnValues.NONE.with(first, 1).with(second, 2))
            .as(first + " and " + second)
            .isInstanceOf(InvalidArgumentException.class)
            .hasMessageContainingAll("twice", second);
        assertThat(ColumnValues.NONE.with(first, 1).contains(second)).isTrue();
      }
    }
    assertThat(ColumnValues.NONE.with("id", 1).with("\"id 2\"", 2).names()).hasSize(2);
  }

  @Test
  void rejectsAmbiguousDots() {
    for (String dotted : List.of("accounts.id", "shop.accounts.id", "accounts.\"id\"", ".id")) {
      assertThatThrownBy(() -> ColumnValues.NONE.with(dotted, 1))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContainingAll("no dot", dotted);
      assertThatThrownBy(() -> ColumnValues.of(Map.of(dotted, 1)))
          .isInstanceOf(InvalidArgumentException.class);
    }
  }
}
