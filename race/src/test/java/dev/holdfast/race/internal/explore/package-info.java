@NullMarked
package dev.holdfast.race.internal.explore;

import org.jspecify.annotations.NullMarked;
