/** Queues: how much there is to do in each, pausing and limiting them. */
@NullMarked
package dev.holdfast.web.queue;

import org.jspecify.annotations.NullMarked;
