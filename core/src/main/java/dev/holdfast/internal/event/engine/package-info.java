/** The engine of events: schedules, polls, claims, calls handlers and completes. */
@NullMarked
package dev.holdfast.internal.event.engine;

import org.jspecify.annotations.NullMarked;
