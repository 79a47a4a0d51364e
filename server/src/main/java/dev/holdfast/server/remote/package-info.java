/** The commands that speak with a running service, through its public API and nothing else. */
@NullMarked
package dev.holdfast.server.remote;

import org.jspecify.annotations.NullMarked;
