/** The offline checker: judges the histories of a run. */
@NullMarked
package dev.holdfast.torture.check;

import org.jspecify.annotations.NullMarked;
