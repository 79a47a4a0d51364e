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
public final class IdempotencyOptions {
  private static final URI THE_DRAFT =
      URI.create("https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/");

  /** What is used where nothing else is said. */
  public static final IdempotencyOptions DEFAULTS = builder().build();

  private static final int LARGEST_BODY_EVER = 64 << 20;
  private static final int LARGEST_REPLY_EVER = 64 << 20;
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

  private final Set<String> methods;
  private final Predicate<? super HttpServletRequest> keyRequired;
  private final Function<? super HttpServletRequest, @Nullable String> principal;
  private final boolean anonymousShareKeys;
  private final Function<? super HttpServletRequest, String> tenant;
  private final Function<? super HttpServletRequest, String> operation;
  private final int largestBody;
  private final Duration bodyWithin;
  private final int largestReply;
  private final Duration waiting;
  private final IntPredicate kept;
  private final IntPredicate committed;
  private final boolean modeHeader;
  private final @Nullable URI documentation;

  private IdempotencyOptions(Builder builder) {
    this.methods = builder.methods;
    this.keyRequired = builder.keyRequired;
    this.principal = builder.principal;
    this.anonymousShareKeys = builder.anonymousShareKeys;
    this.tenant = builder.tenant;
    this.operation = builder.operation;
    this.largestBody = builder.largestBody;
    this.bodyWithin = builder.bodyWithin;
    this.largestReply = builder.largestReply;
    this.waiting = builder.waiting;
    this.kept = builder.kept;
    this.committed = builder.committed;
    this.modeHeader = builder.modeHeader;
    this.documentation = builder.documentation;
  }

  /** One that has the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** One that has these options, to change some of them. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.methods = methods;
    builder.keyRequired = keyRequired;
    builder.principal = principal;
    builder.anonymousShareKeys = anonymousShareKeys;
    builder.tenant = tenant;
    builder.operation = operation;
    builder.largestBody = largestBody;
    builder.bodyWithin = bodyWithin;
    builder.largestReply = largestReply;
    builder.waiting = waiting;
    builder.kept = kept;
    builder.committed = committed;
    builder.modeHeader = modeHeader;
    builder.documentation = documentation;
    return builder;
  }

  boolean covers(HttpServletRequest request) {
    return methods.contains(request.getMethod());
  }

  boolean requiresKey(HttpServletRequest request) {
    return keyRequired.test(request);
  }

  /** Null where it is not known. */
  @Nullable String principalOf(HttpServletRequest request) {
    String name = principal.apply(request);
    boolean unknown = name == null || name.isEmpty();
    return unknown ? (anonymousShareKeys ? "" : null) : name;
  }

  String tenantOf(HttpServletRequest request) {
    return tenant.apply(request);
  }

  String operationOf(HttpServletRequest request) {
    return operation.apply(request);
  }

  int largestBody() {
    return largestBody;
  }

  Duration bodyWithin() {
    return bodyWithin;
  }

  /** How much of a reply is held, where {@code stored} is what the store keeps. */
  int largestReply(int stored) {
    return largestReply == 0 ? stored : largestReply;
  }

  Duration waiting() {
    return waiting;
  }

  boolean keeps(int status) {
    return kept.test(status);
  }

  boolean commits(int status) {
    return committed.test(status);
  }

  boolean modeHeader() {
    return modeHeader;
  }

  /** A refusal with the link to the documentation. */
  Problem documented(Problem problem) {
    return problem.documentation(documentation);
  }

  /** What is kept by default: what was answered deliberately, and will be the same next time. */
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
    private Predicate<? super HttpServletRequest> keyRequired = request -> false;
    private Function<? super HttpServletRequest, @Nullable String> principal =
        IdempotencyOptions::userOf;
    private boolean anonymousShareKeys;
    private Function<? super HttpServletRequest, String> tenant = request -> "";
    private Function<? super HttpServletRequest, String> operation =
        IdempotencyOptions::methodAndPath;
    private int largestBody = 1 << 20;
    private Duration bodyWithin = Duration.ofMinutes(1);
    private int largestReply;
    private Duration waiting = Duration.ZERO;
    private IntPredicate kept = IdempotencyOptions::isDeliberate;
    private IntPredicate committed = status -> status < 400;
    private boolean modeHeader = true;
    private @Nullable URI documentation = THE_DRAFT;

    private Builder() {}

    /** Requests with these methods, by default POST, PUT, PATCH and DELETE; others pass. */
    public Builder methods(String... names) {
      methods = Set.of(names);
      return this;
    }

    /** Requests without a key are refused by 400 where this holds; by default they all pass. */
    public Builder keyRequired(Predicate<? super HttpServletRequest> where) {
      keyRequired = Require.notNull(where, "keyRequired");
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
    public Builder anonymousShareKeys() {
      anonymousShareKeys = true;
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
    public Builder largestBody(int bytes) {
      largestBody = Require.between(bytes, 0, LARGEST_BODY_EVER, "the largest body in bytes");
      return this;
    }

    /**
     * A body with a key must be read within this time, a minute by default; one that takes longer
     * gets 408. Each single wait for more of it ends as the container has it, and so do multipart
     * bodies that the container reads.
     */
    public Builder bodyWithin(Duration longest) {
      bodyWithin =
          Require.between(longest, Duration.ofMillis(1), LONGEST_WAIT, "the time for a body");
      return this;
    }

    /**
     * So many bytes of a reply are held in memory until it is kept; by default as many as the store
     * keeps. Raise it beyond that where there is a {@link dev.holdfast.idempotency.ReplyVault}.
     */
    public Builder largestReply(int bytes) {
      largestReply = Require.between(bytes, 1, LARGEST_REPLY_EVER, "the largest reply in bytes");
      return this;
    }

    /**
     * A duplicate waits so long for the one that is at work; by default it gets 409 at once. Each
     * one that waits has a thread, and in a transaction a connection too.
     */
    public Builder waiting(Duration longest) {
      waiting = Require.between(longest, Duration.ZERO, LONGEST_WAIT, "the wait of duplicates");
      return this;
    }

    /**
     * Which statuses are kept and given again; by default 2xx, 3xx and 4xx, but for 408, 425 and
     * 429. A request that ended with another one may be repeated, and is done again; so may one
     * that was answered by 400 or more with {@code Retry-After}, whatever this says.
     */
    public Builder kept(IntPredicate statuses) {
      kept = Require.notNull(statuses, "kept");
      return this;
    }

    /**
     * With which statuses a request commits what it changed in its transaction; by default those
     * below 400. With others it is rolled back, and where they are kept, only the answer is, in a
     * transaction of its own. What is not kept is never committed. Claims have no transaction to
     * roll back: their recorded steps stay.
     */
    public Builder committed(IntPredicate statuses) {
      committed = Require.notNull(statuses, "committed");
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

    public IdempotencyOptions build() {
      return new IdempotencyOptions(this);
    }
  }
}
