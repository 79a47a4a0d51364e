package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ReplyTooLargeException;
import dev.holdfast.idempotency.ReplyVault;
import dev.holdfast.idempotency.StoredReply;
import dev.holdfast.testing.TestDatabase;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How large an answer may be, and where larger ones are kept. */
public abstract class OnceSizeContract extends OnceTests {
  private static final int LARGEST = 15 << 20;

  protected OnceSizeContract(TestDatabase database) {
    super(database);
  }

  private OnceResult<byte[]> once(Idempotency idempotency, byte[] answer) {
    return idempotency.once(
        KEY,
        PAYLOAD,
        ReplyCodecs.bytes(),
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
    byte[] largest = bytes(LARGEST);

    once(idempotency.largestReply(LARGEST), largest);

    assertThat(once(idempotency, new byte[0]))
        .isInstanceOfSatisfying(
            OnceResult.Replayed.class, same -> assertThat(same.reply()).isEqualTo(largest));
  }

  @Test
  void anAnswerThatIsTooLargeTakesNoEffect() {
    assertThatThrownBy(() -> once(idempotency, bytes((1 << 20) + 1)))
        .isInstanceOfSatisfying(
            ReplyTooLargeException.class,
            large -> {
              assertThat(large.tookEffect()).isFalse();
              assertThat(large).hasMessageContaining("1048577").hasMessageContaining("1048576");
            });
    assertThat(orders()).isZero();
    assertThat(records()).isZero();

    assertThat(once(idempotency, bytes(1 << 20))).isInstanceOf(OnceResult.Executed.class);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void anAnswerThatIsTooLargeRollsBackAJoinedTransaction() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      try {
                        idempotency
                            .largestReply(3)
                            .once(tx, KEY, PAYLOAD, ReplyCodecs.text(), ordering("apple"));
                      } catch (ReplyTooLargeException swallowed) {
                        assertThat(swallowed.tookEffect()).isFalse();
                      }
                    }))
        .isInstanceOf(HoldfastException.class)
        .hasRootCauseInstanceOf(ReplyTooLargeException.class);
    assertThat(orders()).isZero();
    assertThat(records()).isZero();
  }

  @Test
  void aVaultKeepsOnlyWhatIsTooLarge() {
    MemoryVault chest = new MemoryVault();
    Idempotency small = idempotency.largestReply(100).vault(chest);
    byte[] large = bytes(101);

    assertThat(once(small, large)).isInstanceOf(OnceResult.Executed.class);
    assertThat(once(small, new byte[0]).orThrow()).isEqualTo(large);
    assertThat(chest.kept).hasSize(1);
    assertThat(idempotency.find(KEY).orElseThrow().reply())
        .extracting(StoredReply::kind)
        .isEqualTo(StoredReply.Kind.REFERENCE);

    small.once(IdempotencyKey.of("small", "1"), PAYLOAD, ReplyCodecs.bytes(), tx -> bytes(100));
    assertThat(chest.kept).hasSize(1);
  }

  @Test
  void aReplayWithoutTheVaultSaysSo() {
    once(idempotency.largestReply(100).vault(new MemoryVault()), bytes(101));

    assertThatThrownBy(() -> once(idempotency, new byte[0]))
        .isInstanceOf(IncompleteRecordException.class)
        .hasMessageContaining("vault(…)");
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void aVaultThatHasLostTheAnswerSaysSo() {
    MemoryVault chest = new MemoryVault();
    Idempotency small = idempotency.largestReply(100).vault(chest);
    once(small, bytes(101));
    chest.kept.clear();

    assertThatThrownBy(() -> once(small, new byte[0]))
        .isInstanceOf(IncompleteRecordException.class)
        .hasMessageContaining("vault");
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void aVaultThatFailsLetsNothingTakeEffect() {
    IllegalStateException full = new IllegalStateException("the bucket is full");
    ReplyVault broken =
        new ReplyVault() {
          @Override
          public void put(IdempotencyKey key, String name, byte[] reply) {
            throw full;
          }

          @Override
          public byte[] get(IdempotencyKey key, String name) {
            throw full;
          }
        };

    assertThatThrownBy(() -> once(idempotency.largestReply(1).vault(broken), bytes(2)))
        .isSameAs(full);

    assertThat(orders()).isZero();
    assertThat(records()).isZero();
    once(idempotency.largestReply(1).vault(new MemoryVault()), bytes(2));
    assertThatThrownBy(() -> once(idempotency.vault(broken), bytes(2))).isSameAs(full);
    assertThat(orders()).isEqualTo(1);
  }
}
