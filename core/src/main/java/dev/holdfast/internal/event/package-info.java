/** What the API and the engine of events share: checks of arguments, and texts. Uses neither. */
@NullMarked
package dev.holdfast.internal.event;

import org.jspecify.annotations.NullMarked;
