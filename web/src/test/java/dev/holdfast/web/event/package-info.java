@NullMarked
package dev.holdfast.web.event;

import org.jspecify.annotations.NullMarked;
