/** The standalone program and its command line. */
@NullMarked
package dev.holdfast.server;

import org.jspecify.annotations.NullMarked;
