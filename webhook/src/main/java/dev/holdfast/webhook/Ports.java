package dev.holdfast.webhook;

import dev.holdfast.internal.Require;
import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Allowed ports, such as {@code 80,443,1024-65535}. */
record Ports(String text, BitSet bits) {
  private static final Pattern ENTRY = Pattern.compile("([0-9]{1,5})(?:-([0-9]{1,5}))?");
  private static final int LAST = 65_535;

  static Ports parse(String text) {
    BitSet bits = new BitSet();
    for (String entry : text.split(",", -1)) {
      Matcher range = ENTRY.matcher(entry.strip());
      Require.that(
          range.matches(),
          () -> "ports must be written like 80,443,1024-65535, were '" + Excerpt.safe(text) + "'");
      int first = Integer.parseInt(range.group(1));
      int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
      Require.between(first, 1, LAST, "the first port of '" + entry + "'");
      Require.between(last, first, LAST, "the last port of '" + entry + "'");
      bits.set(first, last + 1);
    }
    return new Ports(text, bits);
  }

  boolean contains(int port) {
    return bits.get(port);
  }
}
