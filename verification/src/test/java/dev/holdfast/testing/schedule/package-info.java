@NullMarked
package dev.holdfast.testing.schedule;

import org.jspecify.annotations.NullMarked;
