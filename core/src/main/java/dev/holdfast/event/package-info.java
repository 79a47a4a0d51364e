/** Events: durable work that is due at a time, done by any number of instances. */
@NullMarked
package dev.holdfast.event;

import org.jspecify.annotations.NullMarked;
