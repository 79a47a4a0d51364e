@NullMarked
package dev.holdfast.testing;

import org.jspecify.annotations.NullMarked;
