package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.net.InetAddress;

/** A block of addresses, written {@code 10.0.0.0/8}. */
record Cidr(InetAddress network, int bits) {

  /** Parses a block or a single address. */
  static Cidr parse(String text) {
    int slash = text.indexOf('/');
    InetAddress network = address(slash < 0 ? text : text.substring(0, slash), text);
    int max = network.getAddress().length * 8;
    int bits = max;
    if (slash >= 0) {
      String given = text.substring(slash + 1);
      Require.that(
          given.matches("[0-9]{1,3}") && Integer.parseInt(given) <= max,
          () ->
              "a block of addresses must end in /0 to /"
                  + max
                  + ", was '"
                  + Excerpt.safe(text)
                  + "'");
      bits = Integer.parseInt(given);
    }
    Cidr block = new Cidr(network, bits);
    Require.that(
        block.isZeroBeyond(),
        () ->
            "a block of addresses must begin with its first address, was '"
                + Excerpt.safe(text)
                + "'");
    return block;
  }

  private static InetAddress address(String text, String whole) {
    InetAddress address = Host.parse(text.indexOf(':') >= 0 ? "[" + text + "]" : text).literal();
    if (address == null) {
      throw new InvalidArgumentException(
          "a block of addresses must be like 10.0.0.0/8 or fd00::/8, was '"
              + Excerpt.safe(whole)
              + "'");
    }
    return address;
  }

  boolean contains(byte[] address) {
    byte[] first = network.getAddress();
    if (first.length != address.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      if (isSet(first, bit) != isSet(address, bit)) {
        return false;
      }
    }
    return true;
  }

  private boolean isZeroBeyond() {
    byte[] first = network.getAddress();
    for (int bit = bits; bit < first.length * 8; bit++) {
      if (isSet(first, bit)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSet(byte[] bytes, int bit) {
    return (bytes[bit / 8] & (0x80 >> (bit % 8))) != 0;
  }
}
