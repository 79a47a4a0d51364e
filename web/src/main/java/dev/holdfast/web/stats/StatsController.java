package dev.holdfast.web.stats;

import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Text;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** What is to be seen at a glance, once or as a stream. */
@ApiController
class StatsController {
  private final StatsBoard board;
  private final StatsStream stream;

  StatsController(StatsBoard board, StatsStream stream) {
    this.board = board;
    this.stream = stream;
  }

  @GetMapping(path = "/v1/stats", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> stats(
      @RequestParam(name = "window", required = false) @Nullable String window) {
    return Json.ok(board.view(window == null ? StatsBoard.WINDOW : Text.duration(window)));
  }

  @GetMapping(path = "/v1/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void stream(HttpServletRequest request, HttpServletResponse response) throws IOException {
    stream.add(request, response);
  }
}
