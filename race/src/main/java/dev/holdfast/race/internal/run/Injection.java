package dev.holdfast.race.internal.run;

import java.sql.SQLException;

/**
 * An error that an actor gets at one of its steps, as it got it from the database in another run.
 */
public record Injection(int actor, int step, SQLException error) {}
