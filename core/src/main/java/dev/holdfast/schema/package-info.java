/** The tables of Holdfast: migrate, validate, print the SQL. */
@NullMarked
package dev.holdfast.schema;

import org.jspecify.annotations.NullMarked;
