package dev.holdfast.servlet;

import jakarta.servlet.ServletContext;
import java.util.function.Consumer;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Jetty. */
final class JettyWeb implements Web {
  private final Server server;
  private final ServerConnector connector;

  private JettyWeb(Server server, ServerConnector connector) {
    this.server = server;
    this.connector = connector;
  }

  static Web start(Consumer<ServletContext> setUp) {
    Server server = new Server();
    HttpConfiguration http = new HttpConfiguration();
    http.setRequestHeaderSize(65536);
    ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler handler = new ServletContextHandler("/");
    handler.addServletContainerInitializer((types, context) -> setUp.accept(context));
    server.setHandler(handler);
    try {
      server.start();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return new JettyWeb(server, connector);
  }

  @Override
  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
