@NullMarked
package dev.holdfast.testing.event;

import org.jspecify.annotations.NullMarked;
