package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.event.Event;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.internal.event.store.ClaimCursor;
import dev.holdfast.internal.event.store.ClaimRequest;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.EventStore;
import dev.holdfast.internal.event.store.EventStores;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The short way to the next event of an ordering key, past all that wait in the queue. */
public abstract class OrderingKeysContract extends EventContract {
  private static final EventType<String> OTHER = EventType.of("other", String.class);
  private static final String KEY = "key";

  private EventStore store;
  private long owner;

  @SuppressWarnings("NullAway.Init")
  protected OrderingKeysContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void register() throws Exception {
    store = EventStores.of(holdfast.dialect(), "");
    owner =
        transactions()
            .<Long, Exception>call(
                tx -> store.register(tx.connection(), "an instance", Duration.ofMinutes(10)));
  }

  private Transactions transactions() {
    return Transactions.on(schema.unpooled()).isolation(Isolation.READ_COMMITTED);
  }

  private List<EventId> claimFirst(ClaimCursor before, String... keys) throws Exception {
    ClaimRequest claim = new ClaimRequest(0, "default", List.of("text"), 10, owner, null);
    return transactions()
        .retrying(20)
        .<List<ClaimedEvent>, Exception>call(
            tx -> store.claimFirst(tx.connection(), claim, List.of(keys), before))
        .stream()
        .map(event -> new EventId(0, event.id()))
        .toList();
  }

  private List<EventId> claimFirst(String... keys) throws Exception {
    return claimFirst(ClaimCursor.end(), keys);
  }

  private static Event<String> ordered(String text) {
    return TEXT.event(text).orderingKey(KEY);
  }

  @Test
  void keepsOrderOfEventsScheduledTogether() {
    List<Long> ids =
        events
            .scheduleAll(
                List.of(
                    ordered("0"),
                    ordered("1").key("1"),
                    ordered("2"),
                    ordered("3").key("3"),
                    TEXT.event("4")))
            .stream()
            .map(result -> result.id().id())
            .toList();
    assertThat(ids.subList(0, 4)).isSorted();
  }

  @Test
  void onlyTheFirstOfEachKeyIsClaimed() throws Exception {
    EventId first = schedule(ordered("first"));
    schedule(ordered("second"));
    EventId ofAnother = schedule(TEXT.event("another").orderingKey("another"));
    schedule(TEXT.event("without"));
    assertThat(claimFirst(KEY, "another", "unknown")).containsExactly(first, ofAnother);
    assertThat(found(first))
        .satisfies(
            now -> {
              assertThat(now.status()).isEqualTo(EventStatus.PROCESSING);
              assertThat(now.version()).isEqualTo(2);
              assertThat(now.attempts()).isEqualTo(1);
            });
  }

  @Test
  void noneIsClaimedWhileOneOfItsKeyRuns() throws Exception {
    EventId first = schedule(ordered("first"));
    schedule(ordered("second"));
    assertThat(claimFirst(KEY)).containsExactly(first);
    // comes before the one that runs
    schedule(ordered("earlier").at(Instant.parse("2020-01-01T00:00:00Z")));
    assertThat(claimFirst(KEY)).isEmpty();
  }

  @Test
  void manyClaimersGetTheFirstOnce() throws Exception {
    schedule(ordered("first"));
    schedule(ordered("second"));
    List<EventId> claimed = new ArrayList<>();
    ConcurrentActors.run(LIMIT, 8, actor -> claimFirst(KEY))
        .resultsOrThrow()
        .forEach(claimed::addAll);
    assertThat(claimed).hasSize(1);
  }

  @Test
  void whatIsNotItsTurnInTheQueueIsLeft() throws Exception {
    schedule(ordered("first"));
    assertThat(claimFirst(new ClaimCursor(), KEY)).isEmpty();
  }

  @Test
  void skipsFutureAndOtherEvents() throws Exception {
    schedule(ordered("later").delay(Duration.ofHours(1)));
    schedule(TEXT.event("elsewhere").orderingKey("elsewhere").queue("elsewhere"));
    schedule(OTHER.event("unknown").orderingKey("unknown"));
    assertThat(claimFirst(KEY, "elsewhere", "unknown")).isEmpty();
  }

  @Test
  void anInstanceWithoutALeaseClaimsNothing() throws Exception {
    schedule(ordered("first"));
    transactions()
        .<Boolean, Exception>call(tx -> store.renew(tx.connection(), owner, Duration.ofMillis(1)));
    await(
        () -> "the lease must run out",
        () ->
            schema.count(
                    "select count(*) from holdfast_instance where expires_at > current_timestamp")
                == 0);
    assertThat(claimFirst(KEY)).isEmpty();
  }

  @Test
  void aWorkerHandlesAKeyInOrderBesideOthers() {
    List<String> handled = Collections.synchronizedList(new ArrayList<>());
    int many = 200;
    events.scheduleAll(
        IntStream.range(0, many)
            .mapToObj(i -> TEXT.event("" + i).orderingKey(i % 2 == 0 ? KEY : "other"))
            .toList());
    start(worker -> worker.handle(TEXT, (text, context) -> handled.add(text)));
    start(worker -> worker.handle(TEXT, (text, context) -> handled.add(text)));
    await(() -> "all handled, not " + handled.size(), () -> handled.size() >= many);
    for (int key = 0; key < 2; key++) {
      int odd = key;
      assertThat(handled)
          .filteredOn(text -> Integer.parseInt(text) % 2 == odd)
          .extracting(Integer::parseInt)
          .hasSize(many / 2)
          .isSorted();
    }
  }
}
