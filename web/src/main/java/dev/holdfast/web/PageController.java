package dev.holdfast.web;

import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Open;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;

/**
 * The page of the dashboard, and the OpenAPI document. The references of the page are relative, so
 * that it works under any path.
 */
@ApiController
class PageController {
  private static final MediaType HTML = new MediaType("text", "html", StandardCharsets.UTF_8);
  private static final MediaType YAML = new MediaType("application", "yaml");

  private final Resource page = resource("ui/index.html");
  private final Resource document = resource("openapi.yaml");

  @Open
  @GetMapping({"", "/"})
  ResponseEntity<Resource> page(HttpServletRequest request) {
    String path = request.getRequestURI();
    if (!path.endsWith("/")) {
      String name = path.substring(path.lastIndexOf('/') + 1);
      return ResponseEntity.status(HttpStatus.FOUND).header("Location", name + "/").build();
    }
    return ResponseEntity.ok().contentType(HTML).body(page);
  }

  @Open
  @GetMapping("/openapi.yaml")
  ResponseEntity<Resource> document() {
    return ResponseEntity.ok().contentType(YAML).body(document);
  }

  private static Resource resource(String name) {
    return new ClassPathResource(name, PageController.class);
  }
}
