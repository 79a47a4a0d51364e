package dev.holdfast.race.internal.report;

/**
 * A way to fix a finding.
 *
 * @param what in a sentence
 * @param code what to write; empty for nothing
 * @param guard the guard of Holdfast that does it; empty for none
 */
record Fix(String what, String code, String guard) {}
