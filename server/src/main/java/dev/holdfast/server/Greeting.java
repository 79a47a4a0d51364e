package dev.holdfast.server;

import java.io.PrintStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a server that is ready tells whoever has started it.
 *
 * @param where the options by which the same database is found again, with a space before each
 * @param token the first token, which was just made; empty where there was one already
 */
record Greeting(
    InetAddress address,
    int port,
    OptionalInt healthPort,
    String path,
    String database,
    String where,
    Optional<String> token) {

  void print(PrintStream out, Duration time) {
    String url = url();
    out.printf("%nHoldfast %s is ready after %.1f s%n%n", Version.text(), time.toMillis() / 1000.0);
    out.printf("  address   %s/%n", url);
    out.printf("  data      %s%n", database);
    healthPort.ifPresent(
        health -> out.printf("  health    http://%s:%d/livez and /readyz%n", host(), health));
    out.printf(
        "  sign in   %s%n",
        token.isPresent()
            ? "open the address and paste this token, which is shown only now:"
            : "open the address and paste a token; for a new one: ./holdfast token new NAME"
                + where);
    token.ifPresent(text -> out.printf("            %s%n", text));
    out.printf(
        "  webhooks  are signed; %s/v1/signing-secrets lists the secrets, and …/{id} shows one%n",
        url);
    if (!address.isLoopbackAddress()) {
      out.printf(
          "  note      it listens on %s without TLS: put a proxy with TLS before it%n",
          address.getHostAddress());
    }
    out.printf(
        "  try       curl -H \"Authorization: Bearer %s\" %s/v1/instances%n",
        token.orElse("$HOLDFAST_TOKEN"), url);
    out.println();
    out.flush();
  }

  private String url() {
    return "http://" + host() + ":" + port + path;
  }

  private String host() {
    InetAddress reachable =
        address.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : address;
    String text = reachable.getHostAddress();
    return reachable instanceof Inet6Address ? "[" + text + "]" : text;
  }
}
