/** A real browser for tests, driven over its own protocol. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.server.browser;
