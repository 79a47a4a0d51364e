package dev.holdfast.servlet;

import dev.holdfast.guard.CreateResult;
import dev.holdfast.guard.UpdateResult;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The precondition of a change: {@code If-Match} with the versions that it may change, or {@code
 * If-None-Match: *} if the resource must not exist.
 *
 * <pre>{@code
 * long version = Precondition.from(request).update(expected ->
 *     Update.table("carts").set("quantity", 3).where("id", 7).version(expected).apply(tx));
 * response.setHeader("ETag", ETags.of(version));
 * }</pre>
 *
 * <p>{@link #update} and {@link #create} check it inside of the UPDATE or INSERT: of two concurrent
 * changes of a version, one is made and the other one gets 412. {@link #check} compares with a tag
 * that was read before; the caller must compare again when it writes. Immutable.
 */
public final class Precondition {
  private static final String IF_MATCH = "If-Match";
  private static final String IF_NONE_MATCH = "If-None-Match";
  private static final int MAX_UPDATES = 10;

  private final @Nullable List<ETag> tags;
  private final boolean any;
  private final boolean create;

  private Precondition(@Nullable List<ETag> tags, boolean any, boolean create) {
    this.tags = tags;
    this.any = any;
    this.create = create;
  }

  /**
   * The precondition of a request. Weak tags match nothing.
   *
   * @throws ProblemException if a header is malformed, or both are present: 400
   */
  public static Precondition from(HttpServletRequest request) {
    String match = header(request, IF_MATCH);
    String noneMatch = header(request, IF_NONE_MATCH);
    if (match != null && noneMatch != null) {
      throw invalid("A change must not have both If-Match and If-None-Match.");
    }
    if (noneMatch != null && !noneMatch.equals("*")) {
      throw invalid("The header If-None-Match of a change must be *.");
    }
    boolean any = "*".equals(match);
    List<ETag> tags =
        match == null || any
            ? null
            : ETag.list(IF_MATCH, match).stream().filter(tag -> !tag.weak()).toList();
    return new Precondition(tags, any, noneMatch != null);
  }

  private static @Nullable String header(HttpServletRequest request, String name) {
    List<String> lines = Collections.list(request.getHeaders(name));
    return lines.isEmpty() ? null : String.join(",", lines).strip();
  }

  /** Whether the request has neither header. */
  public boolean isNone() {
    return tags == null && !any && !create;
  }

  /** Whether the resource must exist, at any version: {@code If-Match: *}. */
  public boolean isAny() {
    return any;
  }

  /** Whether the resource must not exist: {@code If-None-Match: *}. */
  public boolean isCreate() {
    return create;
  }

  /**
   * Returns this precondition if it has {@code If-Match}.
   *
   * @throws ProblemException 428 if it does not
   */
  public Precondition requireIfMatch() {
    if (tags == null && !any) {
      throw required("If-Match with the ETag of the resource, or with *");
    }
    return this;
  }

  /**
   * Compares {@code If-Match} with the current tag; no effect without the header.
   *
   * @param current without its quotes
   * @throws ProblemException 412 if the request has other tags
   */
  public void check(String current) {
    if (tags != null && tags.stream().noneMatch(tag -> tag.opaque().equals(current))) {
      throw changed(current);
    }
  }

  /**
   * The exception for a resource that has changed: 412 with its current tag.
   *
   * @param current without its quotes
   */
  public static ProblemException changed(String current) {
    String tag = ETags.of(current);
    return failure("The resource has changed; its ETag is " + tag + " now. Read it again.")
        .header("ETag", tag)
        .toException();
  }

  /**
   * Changes a row if it has a version of the request.
   *
   * @param update changes the row if it has the given version
   * @return the new version of the row
   * @throws ProblemException 428 if the request has no version, 412 if the row has another version,
   *     404 if there is no row
   */
  public long update(LongFunction<UpdateResult> update) {
    List<Long> expected =
        tags == null
            ? null
            : tags.stream().flatMapToLong(tag -> tag.version().stream()).boxed().toList();
    if (expected == null) {
      throw required(
          "If-Match with the ETag of the resource"
              + (any ? "; * is not enough. Read the resource, and send its ETag" : ""));
    }
    Long next = expected.isEmpty() ? null : expected.get(0);
    for (int updates = 0; next != null && updates < MAX_UPDATES; updates++) {
      UpdateResult result = update.apply(next);
      if (result instanceof UpdateResult.Applied applied) {
        return applied.version();
      }
      if (!(result instanceof UpdateResult.Conflict conflict)) {
        throw missing();
      }
      if (!expected.contains(conflict.version())) {
        throw changed(Long.toString(conflict.version()));
      }
      next = conflict.version();
    }
    throw failure(
            expected.isEmpty()
                ? "If-Match has no ETag of this service; a weak one, W/…, matches nothing. Read the"
                    + " resource, and send its strong ETag, such as \"5\"."
                : "The resource has none of the versions of the request. Read it again.")
        .toException();
  }

  /**
   * Creates a row if there is none.
   *
   * @param create creates the row if it does not exist
   * @return the new row
   * @throws ProblemException 428 if the request does not have {@code If-None-Match: *}, 412 if the
   *     row exists
   */
  public CreateResult.Created create(Supplier<CreateResult> create) {
    if (!isCreate()) {
      throw required("If-None-Match: *");
    }
    if (create.get() instanceof CreateResult.Created created) {
      return created;
    }
    throw failure("The resource exists.").toException();
  }

  private static Problem failure(String detail) {
    return Problem.of(412, "precondition-failed", "Precondition failed", detail);
  }

  private static ProblemException required(String header) {
    return Problem.of(
            428,
            "precondition-required",
            "Precondition required",
            "This change requires the header " + header + ".")
        .toException();
  }

  private static ProblemException missing() {
    return Problem.of(404, "not-found", "Not found", "The resource does not exist.").toException();
  }

  private static ProblemException invalid(String detail) {
    return Problem.of(400, "invalid-argument", "Invalid request", detail).toException();
  }
}
