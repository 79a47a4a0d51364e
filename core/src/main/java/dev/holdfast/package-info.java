/** The entrance of Holdfast: one object made from a data source, and the errors it raises. */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
