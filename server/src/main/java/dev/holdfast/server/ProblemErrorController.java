package dev.holdfast.server;

import dev.holdfast.web.api.ProblemMapper;
import dev.holdfast.web.api.ProblemWriter;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;

/** Tells as a problem what goes wrong outside of the API. */
@Controller
class ProblemErrorController implements ErrorController {
  private static final int NOT_FOUND = 404;

  @RequestMapping("/error")
  void error(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    int code = status instanceof Integer known ? known : NOT_FOUND; // asked for /error itself
    ProblemWriter.write(ProblemMapper.ofStatus(code), request, response);
  }
}
