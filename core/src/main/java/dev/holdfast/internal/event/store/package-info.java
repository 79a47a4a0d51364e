/** The SQL of events, one implementation for each kind of database. Not for applications. */
@NullMarked
package dev.holdfast.internal.event.store;

import org.jspecify.annotations.NullMarked;
