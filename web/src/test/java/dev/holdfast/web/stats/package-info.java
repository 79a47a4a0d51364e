@NullMarked
package dev.holdfast.web.stats;

import org.jspecify.annotations.NullMarked;
