package dev.holdfast.servlet;

import dev.holdfast.internal.Require;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.security.Principal;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** How an {@link IdempotencyFilter} works. Immutable; made by {@link #builder}. */
public final class IdempotencyFilterOptions {
  private static final URI THE_DRAFT =
      URI.create("https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/");

  private static final int MAX_BODY_SIZE_LIMIT = 64 << 20;
  private static final int MAX_RESULT_SIZE_LIMIT = 64 << 20;
  private static final Duration MAX_WAIT = Duration.ofMinutes(10);

  private final Set<String> methods;
  private final Predicate<? super HttpServletRequest> requireKey;
  private final Function<? super HttpServletRequest, @Nullable String> principal;
  private final boolean allowAnonymous;
  private final Function<? super HttpServletRequest, String> tenant;
  private final Function<? super HttpServletRequest, String> operation;
  private final int maxBodySize;
  private final Duration bodyTimeout;
  private final int maxResponseSize;
  private final Duration waitTimeout;
  private final IntPredicate recordStatus;
  private final IntPredicate commitStatus;
  private final boolean modeHeader;
  private final @Nullable URI documentation;

  private IdempotencyFilterOptions(Builder builder) {
    this.methods = builder.methods;
    this.requireKey = builder.requireKey;
    this.principal = builder.principal;
    this.allowAnonymous = builder.allowAnonymous;
    this.tenant = builder.tenant;
    this.operation = builder.operation;
    this.maxBodySize = builder.maxBodySize;
    this.bodyTimeout = builder.bodyTimeout;
    this.maxResponseSize = builder.maxResponseSize;
    this.waitTimeout = builder.waitTimeout;
    this.recordStatus = builder.recordStatus;
    this.commitStatus = builder.commitStatus;
    this.modeHeader = builder.modeHeader;
    this.documentation = builder.documentation;
  }

  private static final IdempotencyFilterOptions DEFAULTS = builder().build();

  /** The defaults of all options. */
  public static IdempotencyFilterOptions ofDefaults() {
    return DEFAULTS;
  }

  /** A builder with the defaults of all options. */
  public static Builder builder() {
    return new Builder();
  }

  /** One that has these options, to change some of them. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.methods = methods;
    builder.requireKey = requireKey;
    builder.principal = principal;
    builder.allowAnonymous = allowAnonymous;
    builder.tenant = tenant;
    builder.operation = operation;
    builder.maxBodySize = maxBodySize;
    builder.bodyTimeout = bodyTimeout;
    builder.maxResponseSize = maxResponseSize;
    builder.waitTimeout = waitTimeout;
    builder.recordStatus = recordStatus;
    builder.commitStatus = commitStatus;
    builder.modeHeader = modeHeader;
    builder.documentation = documentation;
    return builder;
  }

  boolean covers(HttpServletRequest request) {
    return methods.contains(request.getMethod());
  }

  boolean requiresKey(HttpServletRequest request) {
    return requireKey.test(request);
  }

  /** Null where it is not known. */
  @Nullable String principalOf(HttpServletRequest request) {
    String name = principal.apply(request);
    boolean unknown = name == null || name.isEmpty();
    return unknown ? (allowAnonymous ? "" : null) : name;
  }

  String tenantOf(HttpServletRequest request) {
    return tenant.apply(request);
  }

  String operationOf(HttpServletRequest request) {
    return operation.apply(request);
  }

  int maxBodySize() {
    return maxBodySize;
  }

  Duration bodyTimeout() {
    return bodyTimeout;
  }

  /** How much of a reply is held, where {@code stored} is what the store keeps. */
  int maxResponseSize(int stored) {
    return maxResponseSize == 0 ? stored : maxResponseSize;
  }

  Duration waitTimeout() {
    return waitTimeout;
  }

  boolean records(int status) {
    return recordStatus.test(status);
  }

  boolean commits(int status) {
    return commitStatus.test(status);
  }

  boolean modeHeader() {
    return modeHeader;
  }

  /** A refusal with the link to the documentation. */
  Problem documented(Problem problem) {
    return problem.documentation(documentation);
  }

  /**
   * What is recordStatus by default: what was answered deliberately, and will be the same next
   * time.
   */
  private static boolean isDeliberate(int status) {
    return status >= 200 && status < 500 && status != 408 && status != 425 && status != 429;
  }

  private static @Nullable String userOf(HttpServletRequest request) {
    Principal user = request.getUserPrincipal();
    return user == null ? null : user.getName();
  }

  private static String methodAndPath(HttpServletRequest request) {
    return request.getMethod() + ' ' + RequestPath.of(request);
  }

  /** Makes options. For one thread. */
  public static final class Builder {
    private Set<String> methods = Set.of("POST", "PUT", "PATCH", "DELETE");
    private Predicate<? super HttpServletRequest> requireKey = request -> false;
    private Function<? super HttpServletRequest, @Nullable String> principal =
        IdempotencyFilterOptions::userOf;
    private boolean allowAnonymous;
    private Function<? super HttpServletRequest, String> tenant = request -> "";
    private Function<? super HttpServletRequest, String> operation =
        IdempotencyFilterOptions::methodAndPath;
    private int maxBodySize = 1 << 20;
    private Duration bodyTimeout = Duration.ofMinutes(1);
    private int maxResponseSize;
    private Duration waitTimeout = Duration.ZERO;
    private IntPredicate recordStatus = IdempotencyFilterOptions::isDeliberate;
    private IntPredicate commitStatus = status -> status < 400;
    private boolean modeHeader = true;
    private @Nullable URI documentation = THE_DRAFT;

    private Builder() {}

    /** Requests with these methods, by default POST, PUT, PATCH and DELETE; others pass. */
    public Builder methods(String... names) {
      methods = Set.of(names);
      return this;
    }

    /** Requests without a key are refused by 400 where this holds; by default they all pass. */
    public Builder requireKey(Predicate<? super HttpServletRequest> where) {
      requireKey = Require.notNull(where, "requireKey");
      return this;
    }

    /**
     * Who sends a request; null or empty where that is not known; by default the name of its {@code
     * getUserPrincipal()}.
     */
    public Builder principal(Function<? super HttpServletRequest, @Nullable String> of) {
      principal = Require.notNull(of, "principal");
      return this;
    }

    /**
     * All whose principal is not known share their keys, as if they were one. By default their keys
     * are refused by 403: whoever guesses or overhears a key of somebody else, and the payload,
     * would be given that answer.
     */
    public Builder allowAnonymous() {
      allowAnonymous = true;
      return this;
    }

    /** Whose data a request is about; by default there are no tenants. */
    public Builder tenant(Function<? super HttpServletRequest, String> of) {
      tenant = Require.notNull(of, "tenant");
      return this;
    }

    /**
     * What a request asks for; by default its method and path, such as {@code POST /orders}. The
     * path is the one that the container has decoded, without parameters such as {@code
     * ;jsessionid=…}; the host is no part of it.
     */
    public Builder operation(Function<? super HttpServletRequest, String> of) {
      operation = Require.notNull(of, "operation");
      return this;
    }

    /** A body with a key may have so many bytes, 1 MiB by default; larger ones get 413. */
    public Builder maxBodySize(int bytes) {
      maxBodySize = Require.between(bytes, 0, MAX_BODY_SIZE_LIMIT, "the largest body in bytes");
      return this;
    }

    /**
     * A body with a key must be read within this time, a minute by default; one that takes longer
     * gets 408. Each single wait for more of it ends as the container has it, and so do multipart
     * bodies that the container reads.
     */
    public Builder bodyTimeout(Duration longest) {
      bodyTimeout = Require.between(longest, Duration.ofMillis(1), MAX_WAIT, "the time for a body");
      return this;
    }

    /**
     * So many bytes of a reply are held in memory until it is recordStatus; by default as many as
     * the store keeps. Raise it beyond that where there is a {@link
     * dev.holdfast.idempotency.LargeResultStore}.
     */
    public Builder maxResponseSize(int bytes) {
      maxResponseSize =
          Require.between(bytes, 1, MAX_RESULT_SIZE_LIMIT, "the largest reply in bytes");
      return this;
    }

    /**
     * A duplicate waits so long for the one that is at work; by default it gets 409 at once. Each
     * one that waits has a thread, and in a transaction a connection too.
     */
    public Builder waitTimeout(Duration longest) {
      waitTimeout = Require.between(longest, Duration.ZERO, MAX_WAIT, "the wait of duplicates");
      return this;
    }

    /**
     * Which statuses are recordStatus and given again; by default 2xx, 3xx and 4xx, but for 408,
     * 425 and 429. A request that ended with another one may be repeated, and is done again; so may
     * one that was answered by 400 or more with {@code Retry-After}, whatever this says.
     */
    public Builder recordStatus(IntPredicate statuses) {
      recordStatus = Require.notNull(statuses, "recordStatus");
      return this;
    }

    /**
     * With which statuses a request commits what it changed in its transaction; by default those
     * below 400. With others it is rolled back, and where they are recordStatus, only the answer
     * is, in a transaction of its own. What is not recordStatus is never commitStatus. Workflows
     * have no transaction to roll back: their recorded steps stay.
     */
    public Builder commitStatus(IntPredicate statuses) {
      commitStatus = Require.notNull(statuses, "commitStatus");
      return this;
    }

    /** Whether the response tells how it was made to take effect once; by default it does. */
    public Builder modeHeader(boolean sent) {
      modeHeader = sent;
      return this;
    }

    /**
     * Where senders can read how keys are to be used, such as a page of the application's own
     * documentation: refusals by 400, 403, 409, 411, 413 and 422 link to it. By default the draft
     * of the IETF; null for no link.
     */
    public Builder documentation(@Nullable URI link) {
      documentation = link;
      return this;
    }

    public IdempotencyFilterOptions build() {
      return new IdempotencyFilterOptions(this);
    }
  }
}
