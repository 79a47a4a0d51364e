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
      all.exclude(request -> request.getServletPath().startsWith("/payments"));

  @Test
  void requestsRunInTransactionUnlessClaimed() {
    assertThat(some.isTransactional(to("/payments"))).isFalse();
    assertThat(some.isTransactional(to("/payments/42"))).isFalse();
    assertThat(some.isTransactional(to("/orders"))).isTrue();
    assertThat(all.isTransactional(to("/payments"))).isTrue();
  }

  @Test
  void whatHadNoneHasNone() {
    RequestTransactions fewer = some.exclude(request -> request.getServletPath().equals("/orders"));

    assertThat(fewer.isTransactional(to("/payments"))).isFalse();
    assertThat(fewer.isTransactional(to("/orders"))).isFalse();
    assertThat(fewer.isTransactional(to("/carts"))).isTrue();
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
    assertThatThrownBy(() -> all.exclude(null)).hasMessageContaining("claimed");
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
