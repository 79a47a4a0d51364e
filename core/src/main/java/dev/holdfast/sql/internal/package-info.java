/** What the capabilities of the core use to speak SQL. Not for users. */
@NullMarked
package dev.holdfast.sql.internal;

import org.jspecify.annotations.NullMarked;
