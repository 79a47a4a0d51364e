package dev.holdfast.testing.contract;

import dev.holdfast.StoreException;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store whose answers can be made to get lost or to come late. Thread-safe. */
final class FaultyIdempotencyStore implements IdempotencyStore {
  /** What can be asked of a store. */
  enum Call {
    CLAIM,
    RENEW,
    RECORD,
    COMPLETE,
    RELEASE,
    ABANDONED,
    CLEAN_UP
  }

  private final IdempotencyStore real;
  private final Map<Call, AtomicInteger> counts = new EnumMap<>(Call.class);
  private final Map<Call, IntConsumer> before = new EnumMap<>(Call.class);
  private final Map<Call, IntConsumer> after = new EnumMap<>(Call.class);

  /** Told how many abandoned flows were answered at once. */
  volatile IntConsumer listed = size -> {};

  /** Whether each batch of a clean-up is answered to have been full, as if there were ever more. */
  volatile boolean fullBatches;

  /** Whose record a transaction has locked, so that nobody can take it up. */
  volatile Predicate<IdempotencyKey> locked = key -> false;

  /** Whose claim was renewed last. */
  volatile @Nullable Ownership renewed;

  FaultyIdempotencyStore(IdempotencyStore real) {
    this.real = real;
    for (Call call : Call.values()) {
      counts.put(call, new AtomicInteger());
    }
  }

  static StoreException lost() {
    return new StoreException("idempotency-store", "a step", "the cable was pulled", true, null);
  }

  /** Called with the number of the call, from 1 on, before it has any effect. */
  synchronized void before(Call call, IntConsumer fault) {
    before.put(call, fault);
  }

  /** Called with the number of the call, from 1 on, when it has taken effect and nobody knows. */
  synchronized void after(Call call, IntConsumer fault) {
    after.put(call, fault);
  }

  /** All is well from now on. */
  synchronized void mend() {
    before.clear();
    after.clear();
  }

  private synchronized IntConsumer fault(Map<Call, IntConsumer> faults, Call call) {
    return faults.getOrDefault(call, count -> {});
  }

  int count(Call call) {
    return counter(call).get();
  }

  private AtomicInteger counter(Call call) {
    return Objects.requireNonNull(counts.get(call));
  }

  private <T> T faulty(Call call, Supplier<T> change) {
    int count = counter(call).incrementAndGet();
    fault(before, call).accept(count);
    T answer = change.get();
    fault(after, call).accept(count);
    return answer;
  }

  @Override
  public ClaimResult claim(ClaimRequest request) {
    return faulty(Call.CLAIM, () -> real.claim(request));
  }

  @Override
  public ClaimResult resume(ClaimRequest request) {
    return locked.test(request.key())
        ? new ClaimResult.InProgress(null, null)
        : faulty(Call.CLAIM, () -> real.resume(request));
  }

  @Override
  public boolean renew(Ownership hold, Duration lease) {
    renewed = hold;
    return faulty(Call.RENEW, () -> real.renew(hold, lease));
  }

  @Override
  public boolean record(Ownership hold, Step step, Duration lease) {
    return faulty(Call.RECORD, () -> real.record(hold, step, lease));
  }

  @Override
  public boolean complete(Ownership hold, StoredResult reply, Duration retention) {
    return faulty(Call.COMPLETE, () -> real.complete(hold, reply, retention));
  }

  @Override
  public boolean release(Ownership hold, Duration pause) {
    return faulty(Call.RELEASE, () -> real.release(hold, pause));
  }

  @Override
  public Optional<IdempotencyRecord> find(IdempotencyKey key) {
    return real.find(key);
  }

  @Override
  public DeleteResult delete(IdempotencyKey key) {
    return real.delete(key);
  }

  @Override
  public int deleteExpired(int most) {
    int removed = faulty(Call.CLEAN_UP, () -> real.deleteExpired(most));
    return fullBatches ? most : removed;
  }

  @Override
  public List<Interrupted> interrupted(Collection<String> flows, Attempts attempts, int most) {
    List<Interrupted> answer =
        faulty(Call.ABANDONED, () -> real.interrupted(flows, attempts, most));
    listed.accept(answer.size());
    return answer;
  }
}
