/** Finds the codecs of classes. */
@NullMarked
package dev.holdfast.internal.codec;

import org.jspecify.annotations.NullMarked;
