/**
 * What each database can tell: who waits for whom, what is in its tables; and putting them back.
 */
@NullMarked
package dev.holdfast.race.internal.database;

import org.jspecify.annotations.NullMarked;
