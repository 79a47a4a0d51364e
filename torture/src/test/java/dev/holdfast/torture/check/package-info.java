@NullMarked
package dev.holdfast.torture.check;

import org.jspecify.annotations.NullMarked;
