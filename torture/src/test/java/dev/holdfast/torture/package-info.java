@NullMarked
package dev.holdfast.torture;

import org.jspecify.annotations.NullMarked;
