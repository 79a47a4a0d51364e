/** What a framework implements so that calls of Holdfast join its transactions. */
@NullMarked
package dev.holdfast.sql.spi;

import org.jspecify.annotations.NullMarked;
