/** The reports of a finding: its name, timeline, cause and fixes. */
@NullMarked
package dev.holdfast.race.internal.report;

import org.jspecify.annotations.NullMarked;
