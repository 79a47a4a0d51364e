package dev.holdfast.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Addresses by their text, without a look-up. */
final class Addresses {
  private Addresses() {}

  static List<InetAddress> of(String... texts) {
    List<InetAddress> addresses = new ArrayList<>();
    for (String text : texts) {
      try {
        addresses.addAll(List.of(InetAddress.getAllByName(text)));
      } catch (UnknownHostException malformed) {
        throw new AssertionError(text, malformed);
      }
    }
    return addresses;
  }
}
