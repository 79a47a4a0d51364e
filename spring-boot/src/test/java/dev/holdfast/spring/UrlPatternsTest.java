package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class UrlPatternsTest {
  private static boolean matches(String pattern, String servletPath, @Nullable String pathInfo) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setServletPath(servletPath);
    request.setPathInfo(pathInfo);
    return UrlPatterns.of(List.of(pattern)).match(request);
  }

  private static boolean matches(String pattern, String path) {
    return matches(pattern, path, null);
  }

  @Test
  void meanWhatTheyMeanToServlets() {
    assertThat(matches("/orders", "/orders")).isTrue();
    assertThat(matches("/orders", "/orders/1")).isFalse();
    assertThat(matches("/orders/*", "/orders")).isTrue();
    assertThat(matches("/orders/*", "/orders/1/lines")).isTrue();
    assertThat(matches("/orders/*", "/ordersOfBen")).isFalse();
    assertThat(matches("/*", "/anything")).isTrue();
    assertThat(matches("*.pdf", "/bills/1.pdf")).isTrue();
    assertThat(matches("*.pdf", "/bills/1.txt")).isFalse();
  }

  @Test
  void knowThePathBehindTheServlet() {
    assertThat(matches("/api/orders/*", "/api", "/orders/1")).isTrue();
  }

  @Test
  void ofNoneMatchNothing() {
    assertThat(UrlPatterns.of(List.of()).match(new MockHttpServletRequest())).isFalse();
  }

  @Test
  void whatIsNoPatternIsRefused() {
    assertThatThrownBy(() -> UrlPatterns.of(List.of("orders/*")))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("orders/*");
  }
}
