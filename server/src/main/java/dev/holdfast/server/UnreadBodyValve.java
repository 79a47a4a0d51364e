package dev.holdfast.server;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

/**
 * Ends the connection of a request that was answered before its body had come. Tomcat would read
 * the rest of the body, to use the connection again, and wait with a thread for as long as bytes
 * come.
 */
final class UnreadBodyValve extends ValveBase {
  UnreadBodyValve() {
    super(/* asyncSupported= */ true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    try {
      getNext().invoke(request, response);
    } finally {
      if (!request.isAsync() && isMissing(request.getCoyoteRequest())) {
        request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
      }
    }
  }

  /** Whether some of the body would have to be waited for. */
  private static boolean isMissing(org.apache.coyote.Request request) {
    if (request.isFinished()) {
      return false;
    }
    request.action(ActionCode.AVAILABLE, true);
    long length = request.getContentLengthLong();
    return length < 0 || length - request.getBytesRead() > request.getAvailable();
  }
}
