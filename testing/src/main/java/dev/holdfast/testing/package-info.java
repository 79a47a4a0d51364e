/**
 * What tests of Holdfast, and of services built on it, stand on: real databases, actors, a clock.
 */
@NullMarked
package dev.holdfast.testing;

import org.jspecify.annotations.NullMarked;
