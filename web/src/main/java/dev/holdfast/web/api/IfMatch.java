package dev.holdfast.web.api;

import jakarta.servlet.http.HttpServletRequest;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;

/**
 * Which versions a change may change, as {@code If-Match} of its request says. Immutable.
 *
 * @param any whether it is any that is there, {@code *}
 * @param tags those that are named, without their quotes
 */
public record IfMatch(boolean any, Set<String> tags) {
  private static final Pattern TAG = Pattern.compile("\\s*(W/)?\"([\\x21\\x23-\\x7e]*)\"\\s*");

  public IfMatch {
    tags = Set.copyOf(tags);
  }

  /**
   * That of a request for an action that may be repeated or is protected otherwise, and therefore
   * needs none: without the header it is any version.
   *
   * @throws ProblemException where it is not written as it must be
   */
  public static IfMatch optional(HttpServletRequest request) {
    return request.getHeader(HttpHeaders.IF_MATCH) == null
        ? new IfMatch(true, Set.of())
        : of(request);
  }

  /**
   * That of a request.
   *
   * @throws ProblemException where it has none, or one that is not written as it must be
   */
  public static IfMatch of(HttpServletRequest request) {
    String header = request.getHeader(HttpHeaders.IF_MATCH);
    if (header == null) {
      throw ProblemType.PRECONDITION_REQUIRED
          .with("send If-Match with the ETag of what is to be changed, or with *")
          .exception();
    }
    if (header.strip().equals("*")) {
      return new IfMatch(true, Set.of());
    }
    Set<String> tags = new HashSet<>();
    for (String one : header.split(",", -1)) {
      Matcher tag = TAG.matcher(one);
      if (!tag.matches()) {
        throw ProblemType.INVALID_ARGUMENT
            .with("If-Match must be * or an ETag in quotes, such as \"3\"")
            .with("member", HttpHeaders.IF_MATCH)
            .exception();
      }
      // a weak one never matches
      if (tag.group(1) == null) {
        tags.add(tag.group(2));
      }
    }
    return new IfMatch(false, tags);
  }

  /**
   * Refuses to change what is at another version.
   *
   * @param current the ETag that it has, without its quotes
   */
  public void require(String current) {
    if (!any && !tags.contains(current)) {
      throw failed(current);
    }
  }

  /** It is at another version than the one that was to be changed. */
  public static ProblemException failed(String current) {
    return ProblemType.PRECONDITION_FAILED
        .with("it has changed: read it again; its ETag is \"" + current + "\" now")
        .header(HttpHeaders.ETAG, "\"" + current + "\"")
        .exception();
  }
}
