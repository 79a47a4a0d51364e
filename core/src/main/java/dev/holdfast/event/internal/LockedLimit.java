package dev.holdfast.event.internal;

import dev.holdfast.event.Limit;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A limit while its row is locked.
 *
 * @param nextAt how far its rate is used, see {@link RateUse}; null where it never was
 */
record LockedLimit(Limit limit, @Nullable Instant nextAt) {}
