package dev.holdfast.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Resolves host names; the sender connects only to addresses from here. Implementations must be
 * thread-safe and may block.
 */
@FunctionalInterface
public interface NameResolver {

  /**
   * All addresses of a name, in the order of connection attempts.
   *
   * @throws UnknownHostException if there are none, or the name cannot be resolved
   */
  List<InetAddress> resolve(String name) throws UnknownHostException;

  /** The resolver of the JDK, with its cache. */
  static NameResolver system() {
    return name -> List.of(InetAddress.getAllByName(name));
  }
}
