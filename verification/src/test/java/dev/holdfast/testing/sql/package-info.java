@NullMarked
package dev.holdfast.testing.sql;

import org.jspecify.annotations.NullMarked;
