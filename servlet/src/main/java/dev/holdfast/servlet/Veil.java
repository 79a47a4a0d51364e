package dev.holdfast.servlet;

import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A response that does the same as another one, and is of no other type. */
final class Veil {
  private static final String TOMCAT = "org.apache.catalina.connector.";

  private Veil() {}

  static boolean isNeeded(ServletResponse real) {
    ServletResponse inner = real;
    while (inner instanceof ServletResponseWrapper wrapper) {
      inner = wrapper.getResponse();
    }
    return inner != null && inner.getClass().getName().startsWith(TOMCAT);
  }

  static HttpServletResponse over(HttpServletResponse real) {
    return (HttpServletResponse)
        Proxy.newProxyInstance(
            Veil.class.getClassLoader(),
            new Class<?>[] {HttpServletResponse.class},
            (proxy, method, arguments) -> {
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
