package dev.holdfast.web.queue;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventStats;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Queues;
import dev.holdfast.servlet.ETags;
import dev.holdfast.servlet.Precondition;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Audited;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/** Lists, pauses and limits queues. */
@ApiController
public class QueueController {
  private final Holdfast holdfast;
  private final QueueViews queues;
  private final Supplier<Optional<EventStats.Depths>> depth;

  /**
   * @param depth the last counts
   */
  public QueueController(
      Holdfast holdfast, QueueViews queues, Supplier<Optional<EventStats.Depths>> depth) {
    this.holdfast = holdfast;
    this.queues = queues;
    this.depth = depth;
  }

  record Page(List<QueueView> items) {}

  @GetMapping(path = "/v1/queues", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> list() {
    return Json.ok(new Page(queues.all(depth.get())));
  }

  @GetMapping(path = "/v1/queues/{name}", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> get(@PathVariable("name") String name) {
    return answer(requireName(name));
  }

  @Audited
  @PatchMapping(
      path = "/v1/queues/{name}",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> change(@PathVariable("name") String name, HttpServletRequest request) {
    requireName(name);
    Precondition precondition = Precondition.from(request).requireIfMatch();
    Members all = Members.read(request).only(Set.of("limits", "keyLimits"));
    List<QueueLimit> limits = holdfast.queues().limits();
    QueueLimit queue = QueueViews.limit(limits, QueueLimit.Kind.QUEUE, name);
    QueueLimit keys = QueueViews.limit(limits, QueueLimit.Kind.KEY, name);
    // replaceLimits compares the limits again
    precondition.check(queues.tag(name));
    List<QueueLimit> wanted = new ArrayList<>();
    boolean named = all.names().contains("limits");
    boolean keysNamed = all.names().contains("keyLimits");
    add(wanted, named ? read(all, "limits", QueueLimit.queue(name)) : queue);
    add(wanted, keysNamed ? read(all, "keyLimits", QueueLimit.perKey(name)) : keys);
    List<QueueLimit> seen = new ArrayList<>();
    add(seen, queue);
    add(seen, keys);
    if (!wanted.equals(seen)
        && holdfast.queues().replaceLimits(seen, wanted) == Queues.LimitResult.CONFLICT) {
      throw Precondition.changed(queues.tag(name));
    }
    return answer(name);
  }

  private static void add(List<QueueLimit> all, @Nullable QueueLimit limit) {
    if (limit != null) {
      all.add(limit);
    }
  }

  private static @Nullable QueueLimit read(Members all, String member, QueueLimit none) {
    Members given = all.object(member);
    if (given == null) {
      return null;
    }
    given.only(
        none.target().kind() == QueueLimit.Kind.QUEUE
            ? Set.of("maxConcurrency", "rateLimit")
            : Set.of("maxConcurrency"));
    Integer maxConcurrency = given.integer("maxConcurrency");
    Members rate = given.object("rateLimit");
    if (maxConcurrency == null && rate == null) {
      throw given.refused("maxConcurrency", "is missing; to remove a limit send null for it");
    }
    QueueLimit limit =
        maxConcurrency == null
            ? none
            : given.checked("maxConcurrency", () -> none.maxConcurrency(maxConcurrency));
    return rate == null ? limit : withRate(limit, rate.only(Set.of("count", "period")), given);
  }

  private static QueueLimit withRate(QueueLimit limit, Members rate, Members given) {
    Integer count = rate.integer("count");
    Duration period = rate.duration("period");
    if (count == null) {
      throw rate.refused("count", "is missing");
    }
    if (period == null) {
      throw rate.refused("period", "is missing");
    }
    return given.checked("rateLimit", () -> limit.rateLimit(count, period));
  }

  @Audited
  @PostMapping(path = "/v1/queues/{name}:pause", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> pause(@PathVariable("name") String name, HttpServletRequest request) {
    Precondition.from(request).check(queues.tag(requireName(name)));
    holdfast.queues().pause(name);
    return answer(name);
  }

  @Audited
  @PostMapping(path = "/v1/queues/{name}:resume", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> resume(@PathVariable("name") String name, HttpServletRequest request) {
    Precondition.from(request).check(queues.tag(requireName(name)));
    holdfast.queues().resume(name);
    return answer(name);
  }

  private ResponseEntity<byte[]> answer(String name) {
    return ResponseEntity.ok()
        .contentType(MediaType.APPLICATION_JSON)
        .eTag(ETags.of(queues.tag(name)))
        .body(Json.bytes(queues.one(name, depth.get())));
  }

  /**
   * @throws InvalidArgumentException if the name is not valid
   */
  private static String requireName(String name) {
    return QueueLimit.Target.queue(name).name();
  }
}
