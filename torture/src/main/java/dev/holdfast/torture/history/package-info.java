/** What the processes of a run wrote down: append-only, one line per operation. */
@NullMarked
package dev.holdfast.torture.history;

import org.jspecify.annotations.NullMarked;
