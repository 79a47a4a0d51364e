package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import dev.holdfast.internal.idempotency.ResultKindCode;
import dev.holdfast.internal.idempotency.StepCodec;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the scripts about idempotency records answer, as they say it at their beginning. */
final class RecordAnswers {
  private static final int GRANTED = 1;
  private static final int DONE = 2;
  private static final int BUSY = 3;
  private static final int GONE = 5;

  private RecordAnswers() {}

  /** What claim.lua answers. */
  static ClaimResult claimed(List<Object> answer) {
    return switch ((int) number(answer.get(0))) {
      case GRANTED -> new ClaimResult.Granted((int) number(answer.get(1)), steps(answer, 3));
      case DONE ->
          new ClaimResult.Completed(
              result(answer.get(1), answer.get(3)), Uuids.read((byte[]) answer.get(2)));
      case BUSY -> new ClaimResult.InProgress(instant(answer.get(1)), micros(answer.get(2)));
      case GONE -> new ClaimResult.NotFound();
      default -> new ClaimResult.KeyReused();
    };
  }

  /** Whose claim was taken over, or null. */
  static @Nullable UUID before(List<Object> granted) {
    byte[] before = (byte[]) granted.get(2);
    return before.length == 0 ? null : Uuids.read(before);
  }

  /** Whether a change was made. */
  static boolean changed(List<Object> answer) {
    return number(answer.get(0)) == 1;
  }

  /** The result of claim-forget.lua. */
  static DeleteResult deleted(List<Object> answer) {
    return switch ((int) number(answer.get(0))) {
      case 1 -> DeleteResult.DELETED;
      case 2 -> DeleteResult.IN_PROGRESS;
      default -> DeleteResult.NOT_FOUND;
    };
  }

  /** The workflow that was changed, or null. */
  static @Nullable String workflow(List<Object> answer) {
    return answer.size() < 2 ? null : orNull(answer.get(1));
  }

  /** What claim-find.lua answers. */
  static Optional<IdempotencyRecord> found(IdempotencyKey key, @Nullable List<Object> answer) {
    // nothing comes as no list, or as one with nothing in it
    if (answer == null || answer.size() < 2) {
      return Optional.empty();
    }
    long kind = number(answer.get(6));
    return Optional.of(
        new IdempotencyRecord(
            key,
            Fingerprint.ofSha256((byte[]) answer.get(1)),
            status(new String((byte[]) answer.get(0), US_ASCII)),
            (int) number(answer.get(2)),
            instant(answer.get(3)),
            instant(answer.get(4)),
            Optional.ofNullable(orNull(answer.get(5))),
            steps(answer, 8).stream().map(Step::name).toList(),
            kind < 0 ? Optional.empty() : Optional.of(result(answer.get(6), answer.get(7)))));
  }

  private static Status status(String state) {
    return switch (state) {
      case "done" -> Status.COMPLETED;
      case "held" -> Status.IN_PROGRESS;
      default -> Status.INTERRUPTED;
    };
  }

  private static StoredResult result(Object kind, Object bytes) {
    return new StoredResult(ResultKindCode.kind((int) number(kind)), (byte[]) bytes);
  }

  /** Those from there on. */
  private static List<Step> steps(List<Object> answer, int from) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Object step : answer.subList(from, answer.size())) {
      all.writeBytes((byte[]) step);
    }
    return StepCodec.read(all.toByteArray());
  }

  private static @Nullable String orNull(Object text) {
    byte[] bytes = (byte[]) text;
    return bytes.length == 0 ? null : new String(bytes, UTF_8);
  }

  static Duration micros(Object number) {
    return Duration.ofNanos(number(number) * 1000);
  }

  private static Instant instant(Object micros) {
    return Instant.EPOCH.plus(number(micros), ChronoUnit.MICROS);
  }

  private static long number(Object number) {
    return (Long) number;
  }
}
