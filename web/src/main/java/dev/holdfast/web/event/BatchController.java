package dev.holdfast.web.event;

import dev.holdfast.Holdfast;
import dev.holdfast.servlet.Problem;
import dev.holdfast.servlet.ProblemException;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.ProblemMapper;
import dev.holdfast.web.event.EventIntake.Draft;
import dev.holdfast.web.event.GroupCommit.Result;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;

/** Creates many events with one request: all or none, or each independently. */
@ApiController
class BatchController {
  private static final int MAX = 10_000;
  private static final int TRANSACTION_SIZE = 500;
  private static final int CREATED = 201;
  private static final int OK = 200;

  private final Holdfast holdfast;
  private final EventReader reader;
  private final EventIntake intake;

  BatchController(Holdfast holdfast, EventReader reader, EventIntake intake) {
    this.holdfast = holdfast;
    this.reader = reader;
    this.intake = intake;
  }

  record Batch(List<Item> items) {}

  /** The result of one event. */
  record Item(
      int status,
      @Nullable String id,
      @Nullable String key,
      @Nullable Map<String, Object> problem) {
    static Item of(EventIntake.Stored stored, String path) {
      String id = stored.event().id().toString();
      return switch (stored.kind()) {
        case NEW -> new Item(CREATED, id, stored.event().key(), null);
        case SAME -> new Item(OK, id, stored.event().key(), null);
        case OTHER -> {
          Problem conflict = EventResponses.keyConflict(stored.event());
          yield new Item(
              conflict.status(),
              id,
              stored.event().key(),
              conflict.with("instance", path).members());
        }
      };
    }

    static Item of(Problem problem, String path) {
      return new Item(problem.status(), null, null, problem.with("instance", path).members());
    }
  }

  @PostMapping(
      path = "/v1/events:batch",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> batch(HttpServletRequest request) {
    Members body = Members.read(request).only(Set.of("mode", "items"));
    String mode = body.text("mode");
    if (mode != null && !mode.equals("all") && !mode.equals("each")) {
      throw body.refused("mode", "must be all or each");
    }
    List<Members> items = body.objects("items", MAX);
    String path = request.getRequestURI();
    return Json.ok(new Batch("each".equals(mode) ? each(items, path) : all(items, path)));
  }

  private Draft draft(Members item) {
    String key = item.requireObject().text("key");
    if (key != null) {
      item.checked("key", () -> EventReader.requireKey(key));
    }
    return reader.readItem(item, key);
  }

  private List<Item> all(List<Members> items, String path) {
    List<Draft> drafts = new ArrayList<>(items.size());
    for (Members item : items) {
      try {
        drafts.add(draft(item));
      } catch (ProblemException e) {
        throw e.problem().with("index", drafts.size()).toException();
      }
    }
    return holdfast
        .transactions()
        .<List<Item>, RuntimeException>call(
            tx -> {
              List<EventIntake.Stored> stored = intake.storeAll(tx, drafts);
              List<Item> responses = new ArrayList<>(stored.size());
              for (EventIntake.Stored one : stored) {
                if (one.kind() == EventIntake.Stored.Kind.OTHER) {
                  // rolls back all events
                  throw EventResponses.keyConflict(one.event())
                      .with("index", responses.size())
                      .toException();
                }
                responses.add(Item.of(one, path));
              }
              return responses;
            });
  }

  private List<Item> each(List<Members> items, String path) {
    @Nullable Item[] responses = new @Nullable Item[items.size()];
    List<Draft> drafts = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (int place = 0; place < items.size(); place++) {
      try {
        drafts.add(draft(items.get(place)));
        places.add(place);
      } catch (ProblemException e) {
        responses[place] = Item.of(e.problem(), path);
      }
    }
    for (int from = 0; from < drafts.size(); from += TRANSACTION_SIZE) {
      int to = Math.min(drafts.size(), from + TRANSACTION_SIZE);
      List<Result<EventIntake.Stored>> results = intake.storeEach(drafts.subList(from, to));
      for (int i = 0; i < results.size(); i++) {
        responses[places.get(from + i)] = item(results.get(i), path);
      }
    }
    List<Item> all = new ArrayList<>(responses.length);
    for (Item response : responses) {
      all.add(Objects.requireNonNull(response));
    }
    return all;
  }

  private static Item item(Result<EventIntake.Stored> result, String path) {
    RuntimeException failure = result.failure();
    return failure == null
        ? Item.of(Objects.requireNonNull(result.value()), path)
        : Item.of(ProblemMapper.of(failure), path);
  }
}
