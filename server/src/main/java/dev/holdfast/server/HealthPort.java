package dev.holdfast.server;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Set;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.http11.Http11NioProtocol;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

/**
 * A port for {@code /livez} and {@code /readyz} alone, with connections and threads of its own: it
 * answers also while all others are busy.
 */
final class HealthPort implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {
  private static final Set<String> PATHS = Set.of("/livez", "/readyz");
  private static final int THREADS = 4;
  private static final int CONNECTIONS = 200;
  private static final int TIMEOUT_MILLIS = 3000;
  private static final int NOT_FOUND = 404;

  private final Connector connector;

  HealthPort(InetAddress address, int port) {
    Http11NioProtocol protocol = new Http11NioProtocol();
    protocol.setAddress(address);
    protocol.setMaxThreads(THREADS);
    protocol.setMinSpareThreads(1);
    protocol.setMaxConnections(CONNECTIONS);
    protocol.setConnectionTimeout(TIMEOUT_MILLIS);
    this.connector = new Connector(protocol);
    connector.setPort(port);
  }

  /** Whether a request asks for health, on whichever port. */
  static boolean isHealth(Request request) {
    return PATHS.contains(request.getRequestURI());
  }

  /** Where it listens, once it does. */
  int port() {
    return connector.getLocalPort();
  }

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.addAdditionalConnectors(connector);
    factory.addEngineValves(new Only());
  }

  /** Nothing else is to be had here. */
  private final class Only extends ValveBase {
    Only() {
      super(/* asyncSupported= */ true);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
      if (request.getConnector() == connector && !isHealth(request)) {
        response.sendError(NOT_FOUND);
        return;
      }
      getNext().invoke(request, response);
    }
  }
}
