package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rejects calls to addresses that are not on the public internet: loopback, link-local, private,
 * shared, multicast and reserved addresses, metadata services of clouds, and IPv6 addresses that
 * contain one of these.
 *
 * <p><b>Guarantees,</b> together with the sender: a name is resolved once per attempt, all its
 * addresses are checked, and the connection goes to an allowed one, not to a later result of the
 * resolver.
 *
 * <p><b>Does not guarantee</b> that a public address does not lead to the private network, by
 * routing or by a proxy.
 *
 * <p>The allow-list contains private targets that may be called. Immutable and thread-safe.
 */
public final class AddressGuard {
  private static final String HOW_TO_ALLOW = "; to call it, put it on the allow-list (--allow)";

  private final List<AllowEntry> allowed;

  private AddressGuard(List<AllowEntry> allowed) {
    this.allowed = allowed;
  }

  /** A guard with an empty allow-list. */
  public static AddressGuard ofDefaults() {
    return new AddressGuard(List.of());
  }

  /**
   * Adds to the allow-list a block ({@code 10.1.0.0/16}, {@code fd00::/8}), an address ({@code
   * 10.1.2.3}), a name with all its addresses ({@code hooks.internal}), or an address or name with
   * a port ({@code hooks.internal:8443}, {@code [::1]:8080}).
   *
   * @throws InvalidArgumentException if it is none of these
   */
  public AddressGuard allow(String entry) {
    List<AllowEntry> more = new ArrayList<>(allowed);
    more.add(AllowEntry.parse(entry));
    return new AddressGuard(List.copyOf(more));
  }

  /**
   * Checks the addresses of the host of a target.
   *
   * @param addresses all addresses, in the order of connection attempts
   */
  public Decision check(Target target, List<InetAddress> addresses) {
    List<InetAddress> accepted = new ArrayList<>();
    String first = null;
    for (InetAddress address : addresses) {
      String reason = rejection(target, address);
      if (reason == null) {
        accepted.add(address);
      } else if (first == null) {
        first = reason;
      }
    }
    if (!accepted.isEmpty()) {
      return new Decision.Allowed(List.copyOf(accepted));
    }
    return new Decision.Rejected(
        "rejected by the address guard: "
            + (first == null ? "there is no address" : first + HOW_TO_ALLOW));
  }

  private @Nullable String rejection(Target target, InetAddress address) {
    if (allowed.stream().anyMatch(entry -> entry.allows(target, address))) {
      return null;
    }
    String what = AddressRanges.notPublic(address.getAddress());
    if (what == null) {
      return null;
    }
    String shown = address.getHostAddress();
    return shown.equals(target.host())
        ? shown + " is " + what
        : target.host() + " resolves to " + shown + ", " + what;
  }

  /** The result of a check. */
  public sealed interface Decision {
    /** Only these addresses may be connected to. */
    record Allowed(List<InetAddress> addresses) implements Decision {}

    /** No address is allowed. */
    record Rejected(String reason) implements Decision {}
  }
}
