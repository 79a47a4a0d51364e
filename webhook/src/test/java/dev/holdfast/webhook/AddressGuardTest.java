package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressGuardTest {
  private static final Target TARGET = new Target("https", "x.test", 443);

  private final AddressGuard guard = AddressGuard.ofDefaults();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0.0.0.0                   | the unspecified address
          0.1.2.3                   | an address of this network
          10.0.0.0                  | a private address
          10.255.255.255            | a private address
          100.64.0.0                | a shared address (carrier-grade NAT)
          100.127.255.255           | a shared address (carrier-grade NAT)
          100.100.100.200           | a metadata address
          127.0.0.1                 | a loopback address
          127.255.255.254           | a loopback address
          168.63.129.16             | a metadata address
          169.254.0.1               | a link-local address
          169.254.169.254           | a metadata address
          172.16.0.0                | a private address
          172.31.255.255            | a private address
          192.0.0.8                 | a reserved address
          192.0.0.192               | a metadata address
          192.0.2.1                 | a documentation address
          192.88.99.1               | a reserved address
          192.168.0.1               | a private address
          192.168.255.255           | a private address
          198.18.0.1                | a benchmark address
          198.19.255.255            | a benchmark address
          198.51.100.7              | a documentation address
          203.0.113.7               | a documentation address
          224.0.0.1                 | a multicast address
          239.255.255.255           | a multicast address
          240.0.0.1                 | a reserved address
          255.255.255.255           | the broadcast address
          ::                        | the unspecified address
          ::1                       | a loopback address
          0:0:0:0:0:0:0:1           | a loopback address
          ::2                       | an IPv4-compatible address of an address of this network
          ::10.0.0.1                | an IPv4-compatible address of a private address
          ::7f00:1                  | an IPv4-compatible address of a loopback address
          ::ffff:127.0.0.1          | a loopback address
          ::ffff:a9fe:a9fe          | a metadata address
          ::ffff:0:127.0.0.1        | a reserved address
          64:ff9b::10.0.0.1         | a NAT64 address of a private address
          64:ff9b::7f00:1           | a NAT64 address of a loopback address
          64:ff9b::a9fe:a9fe        | a NAT64 address of a metadata address
          64:ff9b:1::1              | a local NAT64 address
          64:ff9b:1::8.8.8.8        | a local NAT64 address
          100::1                    | a discard address
          2001::1                   | a Teredo address by the unspecified address
          2001:0:a00:1::1           | a Teredo address by a private address
          2001:0:808:808:0:0:f5ff:fffe | a Teredo address of a private address
          2001:2::1                 | a benchmark address
          2001:10::1                | a reserved address
          2001:db8::1               | a documentation address
          2002:7f00:1::             | a 6to4 address of a loopback address
          2002:a9fe:a9fe::1         | a 6to4 address of a metadata address
          2002:c0a8:101::1          | a 6to4 address of a private address
          2a00:1450::5efe:10.0.0.1  | an ISATAP address of a private address
          2a00:1450::200:5efe:7f00:1 | an ISATAP address of a loopback address
          3fff::1                   | a documentation address
          4000::1                   | a reserved address
          5f00::1                   | a reserved address
          e000::1                   | a reserved address
          fc00::1                   | a private address (unique local)
          fd12:3456:789a::1         | a private address (unique local)
          fd00:ec2::254             | a metadata address
          fd20:ce::254              | a metadata address
          fe80::1                   | a link-local address
          febf::1                   | a link-local address
          fec0::1                   | a site-local address
          ff02::1                   | a multicast address
          ff0e::1                   | a multicast address
          """)
  void refusesWhatIsNotPublic(String address, String what) {
    InetAddress parsed = Addresses.of(address).get(0);
    assertThat(guard.check(TARGET, List.of(parsed)))
        .isEqualTo(
            new AddressGuard.Decision.Rejected(
                "rejected by the address guard: x.test resolves to "
                    + parsed.getHostAddress()
                    + ", "
                    + what
                    + "; to call it, put it on the allow-list (--allow)"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
        "2001:0:808:808:0:0:f7f7:f7f7",
        "2001:4860:4860::8888",
        "2001:200::1",
        "2606:4700::1111",
        "2a00:1450::5efe:8.8.8.8",
        "2a00:1450:4001:81b::200e"
      })
  void allowsWhatIsPublic(String address) {
    List<InetAddress> addresses = Addresses.of(address);
    assertThat(guard.check(TARGET, addresses))
        .isEqualTo(new AddressGuard.Decision.Allowed(addresses));
  }

  @Test
  void checksMappedAddress() throws UnknownHostException {
    byte[] mapped = new byte[16];
    mapped[10] = (byte) 0xff;
    mapped[11] = (byte) 0xff;
    mapped[12] = 10;
    InetAddress address = Inet6Address.getByAddress("x", mapped, 1);
    assertThat(guard.check(TARGET, List.of(address)))
        .isInstanceOf(AddressGuard.Decision.Rejected.class);
  }

  @Test
  void judgesAnAddressWithAZone() throws UnknownHostException {
    byte[] local = new byte[16];
    local[0] = (byte) 0xfe;
    local[1] = (byte) 0x80;
    InetAddress address = Inet6Address.getByAddress("x", local, 1);
    assertThat(guard.check(TARGET, List.of(address)))
        .isInstanceOf(AddressGuard.Decision.Rejected.class);
  }

  @Test
  void keepsAllowedAddressesInOrder() {
    assertThat(guard.check(TARGET, Addresses.of("10.0.0.1", "8.8.8.8", "::1", "1.1.1.1")))
        .isEqualTo(new AddressGuard.Decision.Allowed(Addresses.of("8.8.8.8", "1.1.1.1")));
  }

  @Test
  void refusesANameWithoutAddresses() {
    assertThat(guard.check(TARGET, List.of()))
        .isEqualTo(
            new AddressGuard.Decision.Rejected(
                "rejected by the address guard: there is no address"));
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.0.0/16,       x.test, 443, 10.1.2.3,  true",
    "10.1.0.0/16,       x.test, 443, 10.2.0.1,  false",
    "10.1.2.3,          x.test, 443, 10.1.2.3,  true",
    "10.1.2.3,          x.test, 443, 10.1.2.4,  false",
    "10.1.2.3:8443,     x.test, 8443, 10.1.2.3, true",
    "10.1.2.3:8443,     x.test, 443, 10.1.2.3,  false",
    "x.test,            x.test, 443, 10.1.2.3,  true",
    "X.Test.,           x.test, 443, ::1,       true",
    "x.test,            y.test, 443, 10.1.2.3,  false",
    "x.test,            a.x.test, 443, 10.1.2.3, false",
    "x.test:8443,       x.test, 8443, 10.1.2.3, true",
    "x.test:8443,       x.test, 443, 10.1.2.3,  false",
    "fd00::/8,          x.test, 443, fd12::1,   true",
    "fd00::/8,          x.test, 443, fc00::1,   false",
    "::1,               x.test, 443, ::1,       true",
    "[::1]:8080,        x.test, 8080, ::1,      true",
    "[::1]:8080,        x.test, 443, ::1,       false",
    "0.0.0.0/0,         x.test, 443, 10.1.2.3,  true",
    "0.0.0.0/0,         x.test, 443, ::1,       false",
    "10.0.0.0/8,        x.test, 443, 64:ff9b::10.0.0.1, false",
  })
  void opensWhatTheAllowListNamesAndNoMore(
      String entry, String host, int port, String address, boolean allowed) {
    assertThat(guard.allow(entry).check(new Target("https", host, port), Addresses.of(address)))
        .isInstanceOf(
            allowed ? AddressGuard.Decision.Allowed.class : AddressGuard.Decision.Rejected.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "10.0.0.1/8",
        "10.0.0.0/33",
        "10.0.0.0/",
        "10.0.0.0/-1",
        "10.0.0.0/8/8",
        "fd00::/129",
        "10.1/16",
        "0x0a000000/8",
        "010.0.0.0/8",
        "x.test/8",
        "x.test:0",
        "x.test:65536",
        "x.test:",
        "x test",
        "*.test",
        "[x.test]:80",
        "fe80::1%eth0",
        "http://x.test"
      })
  void refusesEntriesThatAreNone(String entry) {
    assertThatThrownBy(() -> guard.allow(entry)).isInstanceOf(InvalidArgumentException.class);
  }
}
