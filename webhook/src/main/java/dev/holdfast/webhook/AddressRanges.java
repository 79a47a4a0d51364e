package dev.holdfast.webhook;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Addresses that are not on the public internet: IANA's registries of special-purpose addresses,
 * and addresses of clouds in public blocks.
 *
 * <p>IPv6 is denied by default: only 2000::/3 is public. Addresses that contain an IPv4 address are
 * checked by it, because a gateway connects to it.
 */
final class AddressRanges {
  private static final int IPV4 = 4;

  private static final Map<Cidr, String> DENIED = new LinkedHashMap<>();

  static {
    deny("169.254.169.254", "a metadata address");
    deny("168.63.129.16", "a metadata address");
    deny("100.100.100.200", "a metadata address");
    deny("192.0.0.192", "a metadata address");
    deny("0.0.0.0/32", "the unspecified address");
    deny("0.0.0.0/8", "an address of this network");
    deny("10.0.0.0/8", "a private address");
    deny("100.64.0.0/10", "a shared address (carrier-grade NAT)");
    deny("127.0.0.0/8", "a loopback address");
    deny("169.254.0.0/16", "a link-local address");
    deny("172.16.0.0/12", "a private address");
    deny("192.0.0.0/24", "a reserved address");
    deny("192.0.2.0/24", "a documentation address");
    deny("192.88.99.0/24", "a reserved address");
    deny("192.168.0.0/16", "a private address");
    deny("198.18.0.0/15", "a benchmark address");
    deny("198.51.100.0/24", "a documentation address");
    deny("203.0.113.0/24", "a documentation address");
    deny("224.0.0.0/4", "a multicast address");
    deny("255.255.255.255", "the broadcast address");
    deny("240.0.0.0/4", "a reserved address");

    deny("fd00:ec2::254", "a metadata address");
    deny("fd20:ce::254", "a metadata address");
    deny("::", "the unspecified address");
    deny("::1", "a loopback address");
    deny("fc00::/7", "a private address (unique local)");
    deny("fe80::/10", "a link-local address");
    deny("fec0::/10", "a site-local address");
    deny("ff00::/8", "a multicast address");
    deny("64:ff9b:1::/48", "a local NAT64 address");
    deny("100::/64", "a discard address");
    deny("2001:2::/48", "a benchmark address");
    deny("2001:db8::/32", "a documentation address");
    deny("3fff::/20", "a documentation address");
  }

  private static final Cidr PUBLIC_IPV6 = Cidr.parse("2000::/3");
  private static final Cidr NAT64 = Cidr.parse("64:ff9b::/96");
  private static final Cidr SIX_TO_FOUR = Cidr.parse("2002::/16");
  private static final Cidr TEREDO = Cidr.parse("2001::/32");
  private static final Cidr PROTOCOL_ASSIGNMENTS = Cidr.parse("2001::/23");
  private static final Cidr COMPATIBLE = Cidr.parse("::/96");

  /** ISATAP: the last 64 bits are 0000:5efe or 0200:5efe and an IPv4 address. */
  private static final int ISATAP_AT = 8;

  private AddressRanges() {}

  private static void deny(String block, String what) {
    DENIED.put(Cidr.parse(block), what);
  }

  /** Describes an address that is not public; null for a public one. */
  static @Nullable String notPublic(byte[] address) {
    for (Map.Entry<Cidr, String> denied : DENIED.entrySet()) {
      if (denied.getKey().contains(address)) {
        return denied.getValue();
      }
    }
    return address.length == IPV4 ? null : ipv6(address);
  }

  private static @Nullable String ipv6(byte[] address) {
    if (isMapped(address)) {
      return embedded(address, 12, "an IPv4-mapped address of ");
    }
    if (COMPATIBLE.contains(address)) {
      return embedded(address, 12, "an IPv4-compatible address of ");
    }
    if (NAT64.contains(address)) {
      return embedded(address, 12, "a NAT64 address of ");
    }
    if (!PUBLIC_IPV6.contains(address)) {
      return "a reserved address";
    }
    if (SIX_TO_FOUR.contains(address)) {
      return embedded(address, 2, "a 6to4 address of ");
    }
    if (TEREDO.contains(address)) {
      return teredo(address);
    }
    if (PROTOCOL_ASSIGNMENTS.contains(address)) {
      return "a reserved address";
    }
    return isIsatap(address) ? embedded(address, 12, "an ISATAP address of ") : null;
  }

  private static @Nullable String teredo(byte[] address) {
    String server = embedded(address, 4, "a Teredo address by ");
    if (server != null) {
      return server;
    }
    byte[] client = address.clone();
    for (int i = 12; i < client.length; i++) {
      client[i] = (byte) ~client[i];
    }
    return embedded(client, 12, "a Teredo address of ");
  }

  private static @Nullable String embedded(byte[] address, int offset, String description) {
    String what = notPublic(Arrays.copyOfRange(address, offset, offset + IPV4));
    return what == null ? null : description + what;
  }

  private static boolean isMapped(byte[] address) {
    for (int i = 0; i < 10; i++) {
      if (address[i] != 0) {
        return false;
      }
    }
    return address[10] == (byte) 0xff && address[11] == (byte) 0xff;
  }

  private static boolean isIsatap(byte[] address) {
    return (address[ISATAP_AT] & ~2) == 0
        && address[ISATAP_AT + 1] == 0
        && address[ISATAP_AT + 2] == 0x5e
        && address[ISATAP_AT + 3] == (byte) 0xfe;
  }
}
