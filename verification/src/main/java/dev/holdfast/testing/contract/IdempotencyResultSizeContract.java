package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.LargeResultStore;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import dev.holdfast.testing.TestDatabase;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How large an answer may be, and where larger ones are kept. */
public abstract class IdempotencyResultSizeContract extends IdempotentExecutionTests {
  private static final int MAX = 15 << 20;

  protected IdempotencyResultSizeContract(TestDatabase database) {
    super(database);
  }

  private IdempotencyResult<byte[]> once(Idempotency idempotency, byte[] answer) {
    return idempotency.execute(
        IdempotencyRequest.of(KEY, ReplyCodecs.bytes()).fingerprint(PAYLOAD),
        tx -> {
          order(tx, "apple");
          return answer;
        });
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    new Random(count).nextBytes(bytes);
    return bytes;
  }

  @Test
  void theLargestAnswerThatCanBeAllowedIsKept() {
    byte[] largest = bytes(MAX);

    once(with(o -> o.maxResultSize(MAX)), largest);

    assertThat(once(idempotency, new byte[0]))
        .isInstanceOfSatisfying(
            IdempotencyResult.Replayed.class, same -> assertThat(same.value()).isEqualTo(largest));
  }

  @Test
  void anAnswerThatIsTooLargeTakesNoEffect() {
    assertThatThrownBy(() -> once(idempotency, bytes((1 << 20) + 1)))
        .isInstanceOfSatisfying(
            ResultTooLargeException.class,
            large -> {
              assertThat(large.isEffective()).isFalse();
              assertThat(large).hasMessageContaining("1048577").hasMessageContaining("1048576");
            });
    assertThat(orders()).isZero();
    assertThat(records()).isZero();

    assertThat(once(idempotency, bytes(1 << 20))).isInstanceOf(IdempotencyResult.Executed.class);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void oversizedResultRollsBackJoinedTransaction() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      try {
                        with(o -> o.maxResultSize(3))
                            .execute(
                                tx,
                                IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                                ordering("apple"));
                      } catch (ResultTooLargeException swallowed) {
                        assertThat(swallowed.isEffective()).isFalse();
                      }
                    }))
        .isInstanceOf(HoldfastException.class)
        .hasRootCauseInstanceOf(ResultTooLargeException.class);
    assertThat(orders()).isZero();
    assertThat(records()).isZero();
  }

  @Test
  void aVaultKeepsOnlyWhatIsTooLarge() {
    MemoryResultStore chest = new MemoryResultStore();
    Idempotency small = with(o -> o.maxResultSize(100).largeResultStore(chest));
    byte[] large = bytes(101);

    assertThat(once(small, large)).isInstanceOf(IdempotencyResult.Executed.class);
    assertThat(once(small, new byte[0]).orElseThrow()).isEqualTo(large);
    assertThat(chest.kept).hasSize(1);
    assertThat(idempotency.find(KEY).orElseThrow().result().orElseThrow())
        .extracting(StoredResult::kind)
        .isEqualTo(StoredResult.Kind.EXTERNAL);

    small.execute(
        IdempotencyRequest.of(IdempotencyKey.of("small", "1"), ReplyCodecs.bytes())
            .fingerprint(PAYLOAD),
        tx -> bytes(100));
    assertThat(chest.kept).hasSize(1);
  }

  @Test
  void aReplayWithoutTheVaultSaysSo() {
    once(with(o -> o.maxResultSize(100).largeResultStore(new MemoryResultStore())), bytes(101));

    assertThatThrownBy(() -> once(idempotency, new byte[0]))
        .isInstanceOf(IncompleteRecordException.class)
        .hasMessageContaining("largeResultStore(…)");
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void aVaultThatHasLostTheAnswerSaysSo() {
    MemoryResultStore chest = new MemoryResultStore();
    Idempotency small = with(o -> o.maxResultSize(100).largeResultStore(chest));
    once(small, bytes(101));
    chest.kept.clear();

    assertThatThrownBy(() -> once(small, new byte[0]))
        .isInstanceOf(IncompleteRecordException.class)
        .hasMessageContaining("store");
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void aVaultThatFailsLetsNothingTakeEffect() {
    IllegalStateException full = new IllegalStateException("the bucket is full");
    LargeResultStore broken =
        new LargeResultStore() {
          @Override
          public void put(IdempotencyKey key, String name, byte[] reply) {
            throw full;
          }

          @Override
          public byte[] get(IdempotencyKey key, String name) {
            throw full;
          }
        };

    assertThatThrownBy(() -> once(with(o -> o.maxResultSize(1).largeResultStore(broken)), bytes(2)))
        .isSameAs(full);

    assertThat(orders()).isZero();
    assertThat(records()).isZero();
    once(with(o -> o.maxResultSize(1).largeResultStore(new MemoryResultStore())), bytes(2));
    assertThatThrownBy(() -> once(with(o -> o.largeResultStore(broken)), bytes(2))).isSameAs(full);
    assertThat(orders()).isEqualTo(1);
  }
}
