/** The connections that actors get: each round trip waits at a gate first. */
@NullMarked
package dev.holdfast.race.internal.jdbc;

import org.jspecify.annotations.NullMarked;
