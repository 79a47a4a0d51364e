/**
 * The frame of the API: its controllers, its JSON, and what goes wrong, told as problem+json (RFC
 * 9457) with stable types.
 */
@NullMarked
package dev.holdfast.web.api;

import org.jspecify.annotations.NullMarked;
