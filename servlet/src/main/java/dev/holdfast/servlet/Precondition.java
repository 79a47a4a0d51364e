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
 * What must hold for a change to be made: {@code If-Match} with the versions that it may change, or
 * {@code If-None-Match: *} where nothing may be there.
 *
 * <pre>{@code
 * long version = Precondition.from(request).update(expected ->
 *     Update.table("carts").set("quantity", 3).where("id", 7).version(expected).apply(tx));
 * response.setHeader("ETag", ETags.of(version));
 * }</pre>
 *
 * <p>It is checked inside of the UPDATE or INSERT and not before it: of two changes of the same
 * version one is made, and the other one gets 412. What does not hold is a {@link
 * ProblemException}. Immutable.
 */
public final class Precondition {
  private static final String IF_MATCH = "If-Match";
  private static final String IF_NONE_MATCH = "If-None-Match";
  private static final int MAX_UPDATES = 10;

  private final @Nullable List<Long> versions;
  private final boolean any;
  private final boolean create;

  private Precondition(@Nullable List<Long> versions, boolean any, boolean create) {
    this.versions = versions;
    this.any = any;
    this.create = create;
  }

  /**
   * That of a request. Tags that are weak, or that {@link ETags#of} has not made, are those of no
   * version.
   *
   * @throws ProblemException where it is malformed, or there are two of them: 400
   */
  public static Precondition from(HttpServletRequest request) {
    String match = header(request, IF_MATCH);
    String noneMatch = header(request, IF_NONE_MATCH);
    if (match != null && noneMatch != null) {
      throw invalid("A change may have If-Match or If-None-Match, not both.");
    }
    if (noneMatch != null && !noneMatch.equals("*")) {
      throw invalid("The header If-None-Match of a change must be *.");
    }
    boolean any = "*".equals(match);
    List<Long> versions =
        match == null || any
            ? null
            : ETag.list(IF_MATCH, match).stream()
                .filter(tag -> !tag.weak())
                .flatMapToLong(tag -> tag.version().stream())
                .boxed()
                .toList();
    return new Precondition(versions, any, noneMatch != null);
  }

  private static @Nullable String header(HttpServletRequest request, String name) {
    List<String> lines = Collections.list(request.getHeaders(name));
    return lines.isEmpty() ? null : String.join(",", lines).strip();
  }

  /** Whether there is none. */
  public boolean isNone() {
    return versions == null && !any && !create;
  }

  /** Whether something must be there, whichever version it has: {@code If-Match: *}. */
  public boolean isAny() {
    return any;
  }

  /** Whether nothing may be there: {@code If-None-Match: *}. */
  public boolean isCreate() {
    return create;
  }

  /**
   * Changes a row where it has a version that the request names.
   *
   * @param update makes the change where the row has the version that it is given
   * @return the version of the row now
   * @throws ProblemException 428 where the request names no version, 412 where the row has another
   *     one, 404 where there is no row
   */
  public long update(LongFunction<UpdateResult> update) {
    List<Long> expected = versions;
    if (expected == null) {
      throw required(
          "If-Match with the ETag of the version that is changed"
              + (any ? "; * names no version. Read it, and send the ETag that came with it" : ""));
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
        throw failed("It has changed since it was read.", conflict.version());
      }
      next = conflict.version();
    }
    throw failed(
        expected.isEmpty()
            ? "If-Match has no tag of a version: a weak one, W/…, matches nothing, and others are"
                + " not from here. Read it, and send its strong ETag as it came, such as \"5\"."
            : "It has none of the versions that the request names. Read it again.",
        -1);
  }

  /**
   * Makes a row where there is none.
   *
   * @param create makes it, unless it is there
   * @return the row that was made
   * @throws ProblemException 428 where the request does not say {@code If-None-Match: *}, 412 where
   *     there is a row
   */
  public CreateResult.Created create(Supplier<CreateResult> create) {
    if (!isCreate()) {
      throw required("If-None-Match: *");
    }
    if (create.get() instanceof CreateResult.Created created) {
      return created;
    }
    throw failed("There is one already.", -1);
  }

  private static ProblemException failed(String detail, long current) {
    Problem problem =
        Problem.of(412, "precondition-failed", "It has changed since it was read", detail);
    return (current < 0 ? problem : problem.header("ETag", ETags.of(current))).toException();
  }

  private static ProblemException required(String header) {
    return Problem.of(
            428,
            "precondition-required",
            "A change must say which version it changes",
            "This change needs the header " + header + ".")
        .toException();
  }

  private static ProblemException missing() {
    return Problem.of(
            404, "not-found", "There is nothing here", "What should be changed is not there.")
        .toException();
  }

  private static ProblemException invalid(String detail) {
    return Problem.of(
            400, "invalid-argument", "The request asks for something that is not allowed", detail)
        .toException();
  }
}
