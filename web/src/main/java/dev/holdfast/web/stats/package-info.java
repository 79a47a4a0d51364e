/** What was done and how much there is to do, at a glance, also as a stream. */
@NullMarked
package dev.holdfast.web.stats;

import org.jspecify.annotations.NullMarked;
