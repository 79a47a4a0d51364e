package dev.holdfast.servlet;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.internal.Require;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** By what a request is known, and told from another one. */
final class Scope {
  private static final int MAX_PART_LENGTH = 200;

  /** Nobody is called so: it would be the name of somebody else, whose name is long. */
  private static final String DIGEST = "sha256:";

  private Scope() {}

  static IdempotencyKey of(
      HttpServletRequest request, String principal, String key, IdempotencyFilterOptions options) {
    return new IdempotencyKey(
        part(options.tenantOf(request), "the tenant of a request"),
        part(principal, "the principal of a request"),
        part(options.operationOf(request), "the operation of a request"),
        key);
  }

  /** As it is, or its digest where it cannot be a part of a key: a path may be long. */
  private static String part(@Nullable String text, String name) {
    String some = Require.notNull(text, name);
    boolean fits =
        !some.startsWith(DIGEST)
            && some.length() <= MAX_PART_LENGTH
            && some.codePoints()
                .noneMatch(
                    c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
    return fits ? some : DIGEST + Fingerprint.of(some);
  }

  static Fingerprint fingerprint(HttpServletRequest request, RequestBody body) {
    byte[][] told = body.told();
    byte[][] parts = new byte[7 + told.length][];
    parts[0] = utf8(request.getMethod());
    parts[1] = utf8(RequestPath.of(request));
    parts[2] = utf8(request.getQueryString());
    parts[3] = utf8(RequestBody.normalised(request.getContentType()));
    parts[4] = utf8(all(request, "If-Match"));
    parts[5] = utf8(all(request, "If-None-Match"));
    parts[6] = utf8(RequestPath.parameters(request));
    System.arraycopy(told, 0, parts, 7, told.length);
    return Fingerprint.of(parts);
  }

  /** A header may come in several lines, which are one list. */
  private static @Nullable String all(HttpServletRequest request, String name) {
    List<String> lines = Collections.list(request.getHeaders(name));
    return lines.isEmpty() ? null : String.join(", ", lines);
  }

  private static byte[] utf8(@Nullable String text) {
    return text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
  }
}
