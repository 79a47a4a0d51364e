package dev.holdfast.internal.event;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** What an instance is called where nobody has given it a name. */
public final class InstanceName {
  private static final int MAX_HOST_LENGTH = 150;

  private InstanceName() {}

  /** The host and the number of the process: in containers every process is number 1. */
  public static String ofThisProcess() {
    String host = host(System.getenv("HOSTNAME"));
    return host + " pid " + ProcessHandle.current().pid();
  }

  private static String host(@Nullable String fromEnvironment) {
    String host =
        fromEnvironment == null || fromEnvironment.isBlank() ? ofThisMachine() : fromEnvironment;
    return host.length() > MAX_HOST_LENGTH ? host.substring(0, MAX_HOST_LENGTH) : host;
  }

  private static String ofThisMachine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown-host";
    }
  }
}
