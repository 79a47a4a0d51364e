/** How Holdfast speaks SQL: dialects, statements, notifications. Not for applications. */
@NullMarked
package dev.holdfast.internal.sql;

import org.jspecify.annotations.NullMarked;
