/** What goes wrong, told as problem+json (RFC 9457) with stable types. */
@NullMarked
package dev.holdfast.web.problem;

import org.jspecify.annotations.NullMarked;
