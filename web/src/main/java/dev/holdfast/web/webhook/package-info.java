/** Events that are HTTP calls: how they are stored, made, signed and repeated. */
@NullMarked
package dev.holdfast.web.webhook;

import org.jspecify.annotations.NullMarked;
