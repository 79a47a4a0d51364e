/** What starting servers as child processes takes; shared with the servers of tests. */
@NullMarked
package dev.holdfast.embedded.internal;

import org.jspecify.annotations.NullMarked;
