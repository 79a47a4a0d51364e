package dev.holdfast.server;

import java.io.PrintStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * What a server that is ready tells whoever has started it.
 *
 * @param where the options by which the same database is found again, with a space before each
 * @param token the first token, where it was just made
 */
record Greeting(
    InetAddress address,
    int port,
    OptionalInt healthPort,
    String path,
    String database,
    String where,
    FirstToken token) {

  void print(PrintStream out, Duration time) {
    String url = url();
    out.printf("%nHoldfast %s is ready after %.1f s%n%n", Version.text(), time.toMillis() / 1000.0);
    out.printf("  address   %s/%n", url);
    out.printf("  data      %s%n", database);
    healthPort.ifPresent(
        health -> out.printf("  health    http://%s:%d/livez and /readyz%n", host(), health));
    out.printf("  sign in   %s%n", signIn());
    token.shown().ifPresent(text -> out.printf("            %s%n", text));
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
        token.file().map(file -> "$(cat '" + file + "')").orElse("$HOLDFAST_TOKEN"), url);
    out.println();
    out.flush();
  }

  private String signIn() {
    if (token.shown().isPresent()) {
      return "Open the address and paste this token (shown only once"
          + token.file().map(file -> ", stored in " + file).orElse("")
          + "):";
    }
    if (token.file().isPresent()) {
      return "Open the address and paste the token in " + token.file().get();
    }
    return token.isMissing()
        ? "There is no token yet. Create one: ./holdfast token create NAME" + where
        : "Open the address and paste a token. To create one: ./holdfast token create NAME" + where;
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
