/** Schedules that make HTTP calls, over the API. */
@NullMarked
package dev.holdfast.web.schedule;

import org.jspecify.annotations.NullMarked;
