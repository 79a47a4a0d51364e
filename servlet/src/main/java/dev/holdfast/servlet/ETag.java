package dev.holdfast.servlet;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** An entity tag of RFC 9110 in a request. */
record ETag(String opaque, boolean weak) {
  private static final int MAX_VERSION_LENGTH = 19;

  /**
   * The tags of a header, separated by commas.
   *
   * @throws ProblemException if the header is malformed: 400
   */
  static List<ETag> list(String name, String header) {
    List<ETag> tags = new ArrayList<>();
    int at = 0;
    boolean expected = true;
    while (at < header.length()) {
      char c = header.charAt(at);
      if (c == ' ' || c == '\t') {
        at++;
      } else if (c == ',') {
        expected = true;
        at++;
      } else {
        boolean weak = header.startsWith("W/", at);
        int open = weak ? at + 2 : at;
        int close = open < header.length() ? header.indexOf('"', open + 1) : -1;
        if (!expected || close < 0 || header.charAt(open) != '"') {
          throw malformed(name);
        }
        tags.add(new ETag(opaque(name, header.substring(open + 1, close)), weak));
        expected = false;
        at = close + 1;
      }
    }
    if (tags.isEmpty()) {
      throw malformed(name);
    }
    return tags;
  }

  private static String opaque(String name, String text) {
    if (text.chars().anyMatch(c -> c <= ' ' || c == 0x7f || c > 0xff)) {
      throw malformed(name);
    }
    return text;
  }

  private static ProblemException malformed(String name) {
    return Problem.of(
            400,
            "invalid-argument",
            "Invalid request",
            "The header " + name + " must be * or a list of ETags in quotes, such as \"5\".")
        .with("member", name)
        .toException();
  }

  /** The version, if the tag was created by {@link ETags#of(long)}. */
  OptionalLong version() {
    boolean number =
        !opaque.isEmpty()
            && opaque.length() <= MAX_VERSION_LENGTH
            && opaque.chars().allMatch(c -> c >= '0' && c <= '9')
            && (opaque.length() == 1 || opaque.charAt(0) != '0');
    if (!number) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(opaque));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
