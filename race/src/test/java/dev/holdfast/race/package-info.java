@NullMarked
package dev.holdfast.race;

import org.jspecify.annotations.NullMarked;
