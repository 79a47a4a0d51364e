/** What the processes of a run do. */
@NullMarked
package dev.holdfast.torture.work;

import org.jspecify.annotations.NullMarked;
