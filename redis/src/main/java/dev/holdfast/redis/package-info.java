/**
 * Leases, idempotency records and cached values on Redis, Redis Cluster and Sentinel: fast, and
 * safe as far as the server's memory is.
 */
@NullMarked
package dev.holdfast.redis;

import org.jspecify.annotations.NullMarked;
