/** Transactions: run work in them, join those of a framework, retry, classify SQL errors. */
@NullMarked
package dev.holdfast.transaction;

import org.jspecify.annotations.NullMarked;
