/** What a framework implements so that calls of Holdfast join its transactions. */
@NullMarked
package dev.holdfast.transaction.spi;

import org.jspecify.annotations.NullMarked;
