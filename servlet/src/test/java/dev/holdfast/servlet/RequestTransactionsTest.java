package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestTransactionsTest {
  private final List<HttpServletRequest> ran = new ArrayList<>();
  private final RequestTransactions all = (request, work) -> ran.add(request);

  private final RequestTransactions some =
      all.unless(request -> request.getServletPath().startsWith("/payments"));

  @Test
  void whatIsClaimedHasNoTransactionAndAllElseHasOne() {
    assertThat(some.has(to("/payments"))).isFalse();
    assertThat(some.has(to("/payments/42"))).isFalse();
    assertThat(some.has(to("/orders"))).isTrue();
    assertThat(all.has(to("/payments"))).isTrue();
  }

  @Test
  void whatHadNoneHasNone() {
    RequestTransactions fewer = some.unless(request -> request.getServletPath().equals("/orders"));

    assertThat(fewer.has(to("/payments"))).isFalse();
    assertThat(fewer.has(to("/orders"))).isFalse();
    assertThat(fewer.has(to("/carts"))).isTrue();
  }

  @Test
  void itsTransactionsAreThoseOfBefore() {
    HttpServletRequest request = to("/orders");

    some.run(request, tx -> {});

    assertThat(ran).containsExactly(request);
  }

  @Test
  @SuppressWarnings("NullAway") // what a caller without null checks may do
  void itMustBeSaidWhatIsClaimed() {
    assertThatThrownBy(() -> all.unless(null)).hasMessageContaining("claimed");
  }

  /** A request that knows its path only. */
  private static HttpServletRequest to(String path) {
    return (HttpServletRequest)
        Proxy.newProxyInstance(
            HttpServletRequest.class.getClassLoader(),
            new Class<?>[] {HttpServletRequest.class},
            (request, method, arguments) ->
                switch (method.getName()) {
                  case "getServletPath" -> path;
                  case "hashCode" -> System.identityHashCode(request);
                  case "equals" -> request == arguments[0];
                  case "toString" -> path;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
