/** What is told of a finding: its name, its timeline, its reason, and how to mend it. */
@NullMarked
package dev.holdfast.race.internal.report;

import org.jspecify.annotations.NullMarked;
