/** For those who call the service, and for those whom it calls; it needs nothing but the JDK. */
@NullMarked
package dev.holdfast.client;

import org.jspecify.annotations.NullMarked;
