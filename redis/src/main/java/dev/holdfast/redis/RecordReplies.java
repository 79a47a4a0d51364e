package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Decodes the replies of the scripts on idempotency records. Each script describes its reply. */
final class RecordReplies {
  private static final int GRANTED = 1;
  private static final int COMPLETED = 2;
  private static final int IN_PROGRESS = 3;
  private static final int NOT_FOUND = 5;

  private RecordReplies() {}

  /** The result of idempotency-claim.lua. */
  static ClaimResult claimResult(List<Object> reply) {
    return switch ((int) number(reply.get(0))) {
      case GRANTED -> new ClaimResult.Granted((int) number(reply.get(1)), steps(reply, 3));
      case COMPLETED ->
          new ClaimResult.Completed(
              result(reply.get(1), reply.get(3)), Uuids.read((byte[]) reply.get(2)));
      case IN_PROGRESS -> new ClaimResult.InProgress(instant(reply.get(1)), micros(reply.get(2)));
      case NOT_FOUND -> new ClaimResult.NotFound();
      default -> new ClaimResult.KeyReused();
    };
  }

  /** The owner whose lease was taken over; null if there was none. */
  static @Nullable UUID previousOwner(List<Object> granted) {
    byte[] previous = (byte[]) granted.get(2);
    return previous.length == 0 ? null : Uuids.read(previous);
  }

  /** Whether a change was made. */
  static boolean changed(List<Object> reply) {
    return number(reply.get(0)) == 1;
  }

  /** The result of idempotency-delete.lua. */
  static DeleteResult deleted(List<Object> reply) {
    return switch ((int) number(reply.get(0))) {
      case 1 -> DeleteResult.DELETED;
      case 2 -> DeleteResult.IN_PROGRESS;
      default -> DeleteResult.NOT_FOUND;
    };
  }

  /** The workflow of the changed record; null if it has none. */
  static @Nullable String workflow(List<Object> reply) {
    return reply.size() < 2 ? null : orNull(reply.get(1));
  }

  /** The result of idempotency-find.lua. */
  static Optional<IdempotencyRecord> found(IdempotencyKey key, @Nullable List<Object> reply) {
    // an empty reply is null or an empty list, depending on the protocol
    if (reply == null || reply.size() < 2) {
      return Optional.empty();
    }
    long kind = number(reply.get(6));
    return Optional.of(
        new IdempotencyRecord(
            key,
            Fingerprint.ofSha256((byte[]) reply.get(1)),
            status(new String((byte[]) reply.get(0), US_ASCII)),
            (int) number(reply.get(2)),
            instant(reply.get(3)),
            instant(reply.get(4)),
            Optional.ofNullable(orNull(reply.get(5))),
            steps(reply, 8).stream().map(Step::name).toList(),
            kind < 0 ? Optional.empty() : Optional.of(result(reply.get(6), reply.get(7)))));
  }

  private static Status status(String state) {
    return switch (state) {
      case "completed" -> Status.COMPLETED;
      case "leased" -> Status.IN_PROGRESS;
      default -> Status.INTERRUPTED;
    };
  }

  private static StoredResult result(Object kind, Object bytes) {
    return new StoredResult(StoredResult.Kind.ofCode((int) number(kind)), (byte[]) bytes);
  }

  private static List<Step> steps(List<Object> reply, int from) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Object step : reply.subList(from, reply.size())) {
      all.writeBytes((byte[]) step);
    }
    return Step.decode(all.toByteArray());
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
