/** HTTP clients and the verification of webhooks; needs only the JDK. */
@NullMarked
package dev.holdfast.client;

import org.jspecify.annotations.NullMarked;
