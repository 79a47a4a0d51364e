/** PostgreSQL as a child process that keeps its data in a folder. */
@NullMarked
package dev.holdfast.embedded;

import org.jspecify.annotations.NullMarked;
