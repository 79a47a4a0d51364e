/** Where events are kept: the statements, by database. */
@NullMarked
package dev.holdfast.event.internal;

import org.jspecify.annotations.NullMarked;
