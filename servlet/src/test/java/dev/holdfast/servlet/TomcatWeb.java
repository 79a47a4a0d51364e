package dev.holdfast.servlet;

import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Tomcat. */
final class TomcatWeb implements Web {
  private final Tomcat tomcat;

  private TomcatWeb(Tomcat tomcat) {
    this.tomcat = tomcat;
  }

  static Web start(Consumer<ServletContext> setUp) {
    Tomcat tomcat = new Tomcat();
    try {
      String folder = Files.createTempDirectory("holdfast-tomcat").toString();
      tomcat.setBaseDir(folder);
      Connector connector = new Connector();
      connector.setPort(0);
      connector.setProperty("address", "127.0.0.1");
      connector.setProperty("maxHttpRequestHeaderSize", "65536");
      connector.setProperty("asyncTimeout", "60000");
      tomcat.setConnector(connector);
      Context context = tomcat.addContext("", folder);
      context.addServletContainerInitializer(
          (types, servletContext) -> setUp.accept(servletContext), Set.of());
      tomcat.start();
      return new TomcatWeb(tomcat);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public int port() {
    return tomcat.getConnector().getLocalPort();
  }

  @Override
  public void close() {
    try {
      tomcat.stop();
      tomcat.destroy();
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    }
  }
}
