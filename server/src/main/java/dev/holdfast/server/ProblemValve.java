package dev.holdfast.server;

import dev.holdfast.web.api.ProblemMapper;
import dev.holdfast.web.api.ProblemWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

/** Tells as a problem what Tomcat refuses before the application sees it. */
final class ProblemValve extends ErrorReportValve {

  @Override
  protected void report(Request request, Response response, @Nullable Throwable throwable) {
    int status = response.getStatus();
    if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    try {
      ProblemWriter.write(
          ProblemMapper.ofStatus(status), request.getRequest(), response.getResponse());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
