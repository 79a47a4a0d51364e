package dev.holdfast.server;

import dev.holdfast.servlet.Problem;
import dev.holdfast.web.api.ProblemType;
import dev.holdfast.web.api.ProblemWriter;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Limits how many requests are processed at once to fewer than there are threads, and rejects those
 * beyond with 503. Health is not limited, so it always finds a thread, also while every other
 * request is stuck.
 */
final class RequestLimitValve extends ValveBase {
  private static final Problem BUSY =
      ProblemType.UNAVAILABLE
          .with("too many requests are in flight; retry in a moment")
          .header("Retry-After", "1");

  private final Semaphore permits;

  /**
   * @param limit how many requests other than those for health
   */
  RequestLimitValve(int limit) {
    super(/* asyncSupported= */ true);
    this.permits = new Semaphore(limit);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (HealthPort.isHealth(request) || request.isAsyncDispatching()) {
      getNext().invoke(request, response);
    } else if (permits.tryAcquire()) {
      try {
        getNext().invoke(request, response);
        if (!request.isAsync()) {
          response.finishResponse(); // may wait for a client that reads slowly
        }
      } finally {
        permits.release();
      }
    } else {
      ProblemWriter.write(BUSY, request.getRequest(), response.getResponse());
    }
  }
}
