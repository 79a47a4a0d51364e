package dev.holdfast.server;

import dev.holdfast.InvalidArgumentException;
import java.nio.file.Path;
import java.util.List;
import org.apache.catalina.util.NetMask;
import org.apache.catalina.valves.RemoteIpValve;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who may see what, and whom the server believes. */
final class AccessOptions {
  @Option(
      names = "--trusted-proxies",
      paramLabel = "ADDRESS",
      split = ",",
      description =
          "the proxies with TLS before this server, addresses or blocks (127.0.0.1, 10.1.0.0/16),"
              + " several with commas. Their X-Forwarded-Proto and X-Forwarded-For are believed: by"
              + " https, the cookie of a session is Secure (default: none)")
  List<String> trustedProxies = List.of();

  @Option(
      names = "--metrics-open",
      description =
          "give /metrics to everybody who reaches this server (default: with a token only)")
  boolean metricsOpen;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "where the first token is written, for its owner's eyes only (default: first-token in the"
              + " folder of --data; none with --database-url)")
  @Nullable Path tokenFile;

  /** Where the first token is written; null for nowhere. */
  @Nullable Path tokenFile(DatabaseOptions database) {
    if (tokenFile != null || database.url != null) {
      return tokenFile == null ? null : tokenFile.toAbsolutePath().normalize();
    }
    return database.data().toAbsolutePath().normalize().resolve("first-token");
  }

  /** Refuses what is no address, before anything is started. */
  void check() {
    for (String proxy : trustedProxies) {
      try {
        new NetMask(proxy.strip());
      } catch (IllegalArgumentException e) {
        throw new InvalidArgumentException(
            "trusted-proxies must be addresses or blocks such as 10.1.0.0/16, was '" + proxy + "'",
            e);
      }
    }
  }

  /** Believes what the trusted proxies say of the requests that they pass on. */
  RemoteIpValve forwarded() {
    RemoteIpValve valve = new RemoteIpValve();
    valve.setInternalProxies(String.join(",", trustedProxies.stream().map(String::strip).toList()));
    valve.setRemoteIpHeader("X-Forwarded-For");
    valve.setProtocolHeader("X-Forwarded-Proto");
    return valve;
  }
}
