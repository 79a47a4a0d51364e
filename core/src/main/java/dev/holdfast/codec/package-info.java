/** How values of the application are stored. */
@NullMarked
package dev.holdfast.codec;

import org.jspecify.annotations.NullMarked;
