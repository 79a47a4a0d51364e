/** The resource of events: how they are accepted, shown, found and changed over HTTP. */
@NullMarked
package dev.holdfast.web.event;

import org.jspecify.annotations.NullMarked;
