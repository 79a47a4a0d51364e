package dev.holdfast.web.event;

import dev.holdfast.servlet.ProblemException;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.PathSegment;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.UriUtils;

/**
 * The URL after {@code /v1/publish/} in the path of a request, plain or percent-encoded as a whole,
 * with the query of the request.
 */
final class PublishedUrl {
  private static final Pattern ENCODED = Pattern.compile("(?i)https?(%3A.*|:%2F.*)");

  /** Proxies reduce two slashes to one. */
  private static final Pattern ONE_SLASH = Pattern.compile("(?i)^(https?):/(?!/)");

  private PublishedUrl() {}

  static String of(HttpServletRequest request) {
    String raw = rest(request);
    String url = ENCODED.matcher(raw).matches() ? decoded(raw) : raw;
    String query = request.getQueryString();
    String whole = query == null ? url : url + (url.indexOf('?') < 0 ? "?" : "&") + query;
    return ONE_SLASH.matcher(whole).replaceFirst("$1://");
  }

  private static String rest(HttpServletRequest request) {
    List<PathContainer.Element> elements =
        ServletRequestPathUtils.getParsedRequestPath(request).pathWithinApplication().elements();
    int begin = -1;
    StringBuilder rest = new StringBuilder();
    for (int i = 0; i < elements.size(); i++) {
      if (begin < 0) {
        begin = isSegment(elements, i, "publish") && isSegment(elements, i - 2, "v1") ? i + 1 : -1;
      } else if (i > begin) {
        requireNoStep(elements.get(i));
        rest.append(elements.get(i).value());
      }
    }
    return rest.toString();
  }

  private static boolean isSegment(List<PathContainer.Element> elements, int index, String text) {
    return index >= 0
        && elements.get(index) instanceof PathSegment segment
        && segment.valueToMatch().equals(text);
  }

  /** The container normalizes such paths. */
  private static void requireNoStep(PathContainer.Element element) {
    if (element instanceof PathSegment segment
        && (segment.valueToMatch().equals(".") || segment.valueToMatch().equals(".."))) {
      throw refused("must not have . or .. in its path; percent-encode the whole URL");
    }
  }

  private static String decoded(String raw) {
    try {
      return UriUtils.decode(raw, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw refused("must be percent-encoded as a whole, or not at all");
    }
  }

  private static ProblemException refused(String reason) {
    return ProblemType.INVALID_ARGUMENT
        .with("'url': " + reason)
        .with("member", "url")
        .toException();
  }
}
