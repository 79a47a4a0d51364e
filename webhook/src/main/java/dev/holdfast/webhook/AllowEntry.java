package dev.holdfast.webhook;

import dev.holdfast.internal.Require;
import java.net.InetAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the allow-list: a block of addresses, or a name whose addresses are all allowed; for
 * all ports or one.
 */
record AllowEntry(@Nullable Cidr block, @Nullable String name, int port) {
  private static final int ANY_PORT = -1;
  private static final int LAST_PORT = 65_535;
  private static final Pattern BRACKETS = Pattern.compile("\\[([^\\]]*)\\](?::([0-9]{1,5}))?");
  private static final Pattern WITH_PORT = Pattern.compile("([^:/]+):([0-9]{1,5})");

  static AllowEntry parse(String text) {
    Matcher brackets = BRACKETS.matcher(text);
    if (brackets.matches()) {
      return new AllowEntry(Cidr.parse(brackets.group(1)), null, port(brackets.group(2)));
    }
    Matcher withPort = WITH_PORT.matcher(text);
    if (withPort.matches()) {
      return host(withPort.group(1), port(withPort.group(2)));
    }
    if (text.indexOf('/') >= 0 || text.indexOf(':') >= 0) {
      return new AllowEntry(Cidr.parse(text), null, ANY_PORT);
    }
    return host(text, ANY_PORT);
  }

  private static AllowEntry host(String text, int port) {
    Host host = Host.parse(text);
    return host.literal() == null
        ? new AllowEntry(null, host.text(), port)
        : new AllowEntry(Cidr.parse(host.text()), null, port);
  }

  private static int port(@Nullable String text) {
    return text == null
        ? ANY_PORT
        : Require.between(Integer.parseInt(text), 1, LAST_PORT, "an allowed port");
  }

  boolean allows(Target target, InetAddress address) {
    if (port != ANY_PORT && port != target.port()) {
      return false;
    }
    return block != null ? block.contains(address.getAddress()) : target.host().equals(name);
  }
}
