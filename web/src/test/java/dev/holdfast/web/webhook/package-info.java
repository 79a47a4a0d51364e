@NullMarked
package dev.holdfast.web.webhook;

import org.jspecify.annotations.NullMarked;
