/** The delivery of one HTTP call: signed, guarded, bounded in time and size, asynchronous. */
@NullMarked
package dev.holdfast.webhook;

import org.jspecify.annotations.NullMarked;
