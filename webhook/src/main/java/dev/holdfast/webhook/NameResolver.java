package dev.holdfast.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Finds the addresses of a name; the sender connects to nothing that it has not got from here. Must
 * be thread-safe, and may block: it is called by threads of its own.
 */
@FunctionalInterface
public interface NameResolver {

  /**
   * All addresses of a name, in the order in which they shall be tried.
   *
   * @throws UnknownHostException if it has none, or they cannot be found out
   */
  List<InetAddress> resolve(String name) throws UnknownHostException;

  /** The JDK's own, with its cache. */
  static NameResolver system() {
    return name -> List.of(InetAddress.getAllByName(name));
  }
}
