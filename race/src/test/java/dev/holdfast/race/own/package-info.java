/**
 * Holdfast's own guards and events under the race finder, and what it says where they are broken.
 */
@NullMarked
package dev.holdfast.race.own;

import org.jspecify.annotations.NullMarked;
