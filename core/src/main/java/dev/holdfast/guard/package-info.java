/**
 * Guards: the correct SQL for concurrent changes to tables that belong to the user.
 *
 * <p>Each works on any table by declared names, inside the caller's transaction, and answers with a
 * value that says what happened. A guard that fails leaves its transaction fit only to be rolled
 * back.
 */
@NullMarked
package dev.holdfast.guard;

import org.jspecify.annotations.NullMarked;
