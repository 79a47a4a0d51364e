package dev.holdfast.servlet;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/** The status and headers of a response, which do not change any more once it is committed. */
abstract class ResponseHead extends HttpServletResponseWrapper {
  ResponseHead(HttpServletResponse real) {
    super(real);
  }

  /** Whether it is committed for the application. */
  abstract boolean isHeadFinal();

  /** Whether a header is one of the body, and what it says was heeded. */
  abstract boolean isOfBody(String name, @Nullable String value);

  @Override
  public void setStatus(int status) {
    if (!isHeadFinal()) {
      super.setStatus(status);
    }
  }

  @Override
  public void setHeader(String name, @Nullable String value) {
    if (!isHeadFinal() && !isOfBody(name, value)) {
      super.setHeader(name, value);
    }
  }

  @Override
  public void addHeader(String name, String value) {
    if (!isHeadFinal() && !isOfBody(name, value)) {
      super.addHeader(name, value);
    }
  }

  @Override
  public void setIntHeader(String name, int value) {
    setHeader(name, Integer.toString(value));
  }

  @Override
  public void addIntHeader(String name, int value) {
    addHeader(name, Integer.toString(value));
  }

  @Override
  public void setDateHeader(String name, long date) {
    if (!isHeadFinal()) {
      super.setDateHeader(name, date);
    }
  }

  @Override
  public void addDateHeader(String name, long date) {
    if (!isHeadFinal()) {
      super.addDateHeader(name, date);
    }
  }
}
