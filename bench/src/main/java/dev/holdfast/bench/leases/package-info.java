/** Leases beside hand-written scripts and SQL, Redisson, ShedLock and Spring Integration. */
@NullMarked
package dev.holdfast.bench.leases;

import org.jspecify.annotations.NullMarked;
