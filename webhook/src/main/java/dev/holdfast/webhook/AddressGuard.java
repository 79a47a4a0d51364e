package dev.holdfast.webhook;

import dev.holdfast.InvalidArgumentException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps calls away from addresses that are not on the public internet: loopback, link-local,
 * private, shared, multicast, reserved, the metadata services of clouds, and IPv6 addresses that
 * carry one of these.
 *
 * <p>Guaranteed, together with the sender: a name is resolved once per attempt, all its addresses
 * are judged, and a connection is made to one of those that were allowed, not to what the name may
 * resolve to a moment later. Not guaranteed: that a public address does not lead back inside, by
 * routing or by a proxy there.
 *
 * <p>What is inside and must be called is put on the allow-list. Immutable and thread-safe.
 */
public final class AddressGuard {
  private static final String HOW_TO_ALLOW = "; to call it, put it on the allow-list (--allow)";

  private final List<AllowEntry> allowed;

  private AddressGuard(List<AllowEntry> allowed) {
    this.allowed = allowed;
  }

  /** The guard with an empty allow-list. */
  public static AddressGuard standard() {
    return new AddressGuard(List.of());
  }

  /**
   * Allows more: a block ({@code 10.1.0.0/16}, {@code fd00::/8}), an address ({@code 10.1.2.3}), a
   * name, whatever it resolves to ({@code hooks.internal}), or one of the latter two on one port
   * ({@code hooks.internal:8443}, {@code [::1]:8080}).
   *
   * @throws InvalidArgumentException if it is none of these
   */
  public AddressGuard allow(String entry) {
    List<AllowEntry> more = new ArrayList<>(allowed);
    more.add(AllowEntry.parse(entry));
    return new AddressGuard(List.copyOf(more));
  }

  /**
   * Judges the addresses that the host of a target was resolved to.
   *
   * @param addresses all of them, in the order in which they shall be tried
   */
  public Ruling judge(Target target, List<InetAddress> addresses) {
    List<InetAddress> good = new ArrayList<>();
    String first = null;
    for (InetAddress address : addresses) {
      String why = refusal(target, address);
      if (why == null) {
        good.add(address);
      } else if (first == null) {
        first = why;
      }
    }
    if (!good.isEmpty()) {
      return new Ruling.Allowed(List.copyOf(good));
    }
    return new Ruling.Refused(
        "refused by the address guard: "
            + (first == null ? "there is no address" : first + HOW_TO_ALLOW));
  }

  private @Nullable String refusal(Target target, InetAddress address) {
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

  /** What the guard says of a target. */
  public sealed interface Ruling {
    /** These addresses, and no others, may be connected to. */
    record Allowed(List<InetAddress> addresses) implements Ruling {}

    /** None may be. */
    record Refused(String reason) implements Ruling {}
  }
}
