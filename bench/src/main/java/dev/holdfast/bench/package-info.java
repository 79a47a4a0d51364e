/** Holdfast measured side by side with its peers and with hand-written SQL, in one run. */
@NullMarked
package dev.holdfast.bench;

import org.jspecify.annotations.NullMarked;
