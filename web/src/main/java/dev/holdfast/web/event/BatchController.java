package dev.holdfast.web.event;

import dev.holdfast.Holdfast;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.Problem;
import dev.holdfast.web.api.ProblemException;
import dev.holdfast.web.api.Problems;
import dev.holdfast.web.event.GroupCommit.Answer;
import dev.holdfast.web.event.Storing.Draft;
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

/** Takes in many events with one request: all or none, or each for itself. */
@ApiController
class BatchController {
  private static final int MAX = 10_000;
  private static final int TOGETHER = 500;
  private static final int CREATED = 201;
  private static final int OK = 200;

  private final Holdfast holdfast;
  private final NewEvents newEvents;
  private final Storing storing;

  BatchController(Holdfast holdfast, NewEvents newEvents, Storing storing) {
    this.holdfast = holdfast;
    this.newEvents = newEvents;
    this.storing = storing;
  }

  record Batch(List<Item> items) {}

  /** What became of one. */
  record Item(
      int status,
      @Nullable String id,
      @Nullable String key,
      @Nullable Map<String, Object> problem) {
    static Item of(Stored stored, String path) {
      String id = stored.event().id().toString();
      return switch (stored.kind()) {
        case NEW -> new Item(CREATED, id, stored.event().key(), null);
        case SAME -> new Item(OK, id, stored.event().key(), null);
        case OTHER -> {
          Problem taken = EventAnswers.taken(stored.event());
          yield new Item(taken.status(), id, stored.event().key(), taken.members(path));
        }
      };
    }

    static Item of(Problem problem, String path) {
      return new Item(problem.status(), null, null, problem.members(path));
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
      item.checked("key", () -> NewEvents.requireKey(key));
    }
    return newEvents.readItem(item, key);
  }

  private List<Item> all(List<Members> items, String path) {
    List<Draft> drafts = new ArrayList<>(items.size());
    for (Members item : items) {
      try {
        drafts.add(draft(item));
      } catch (ProblemException e) {
        throw e.problem().with("index", drafts.size()).exception();
      }
    }
    return holdfast
        .transactions()
        .<List<Item>, RuntimeException>call(
            tx -> {
              List<Stored> stored = storing.all(tx, drafts);
              List<Item> answers = new ArrayList<>(stored.size());
              for (Stored one : stored) {
                if (one.kind() == Stored.Kind.OTHER) {
                  // rolls all of them back
                  throw EventAnswers.taken(one.event()).with("index", answers.size()).exception();
                }
                answers.add(Item.of(one, path));
              }
              return answers;
            });
  }

  private List<Item> each(List<Members> items, String path) {
    @Nullable Item[] answers = new @Nullable Item[items.size()];
    List<Draft> drafts = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (int place = 0; place < items.size(); place++) {
      try {
        drafts.add(draft(items.get(place)));
        places.add(place);
      } catch (ProblemException e) {
        answers[place] = Item.of(e.problem(), path);
      }
    }
    for (int from = 0; from < drafts.size(); from += TOGETHER) {
      int to = Math.min(drafts.size(), from + TOGETHER);
      List<Answer<Stored>> some = storing.each(drafts.subList(from, to));
      for (int i = 0; i < some.size(); i++) {
        answers[places.get(from + i)] = item(some.get(i), path);
      }
    }
    List<Item> all = new ArrayList<>(answers.length);
    for (Item answer : answers) {
      all.add(Objects.requireNonNull(answer));
    }
    return all;
  }

  private static Item item(Answer<Stored> answer, String path) {
    RuntimeException failure = answer.failure();
    return failure == null
        ? Item.of(Objects.requireNonNull(answer.value()), path)
        : Item.of(Problems.of(failure), path);
  }
}
