package dev.holdfast.servlet;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** An application whose tests say what it does at each path. */
final class TestApp extends HttpServlet {
  private static final long serialVersionUID = 1L;

  private final transient Map<String, Endpoint> endpoints = new ConcurrentHashMap<>();
  private final AtomicInteger paths = new AtomicInteger();

  /** What is done at a path. */
  interface Handler {
    void handle(HttpServletRequest request, HttpServletResponse response) throws Exception;
  }

  /** A path, and how often it was asked. */
  static final class Endpoint {
    private final String path;
    private final Handler handler;
    private final AtomicInteger calls = new AtomicInteger();

    Endpoint(String path, Handler handler) {
      this.path = path;
      this.handler = handler;
    }

    String path() {
      return path;
    }

    int calls() {
      return calls.get();
    }
  }

  /** Under {@code prefix}, which says how the filter is set up there. */
  Endpoint at(String prefix, Handler handler) {
    Endpoint endpoint = new Endpoint(prefix + "/p" + paths.incrementAndGet(), handler);
    endpoints.put(endpoint.path(), endpoint);
    return endpoint;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Endpoint endpoint = endpoints.get(request.getServletPath() + path(request));
    if (endpoint == null) {
      response.sendError(404, "no endpoint");
      return;
    }
    endpoint.calls.incrementAndGet();
    try {
      endpoint.handler.handle(request, response);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String path(HttpServletRequest request) {
    return request.getPathInfo() == null ? "" : request.getPathInfo();
  }
}
