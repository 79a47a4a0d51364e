package dev.holdfast.torture.work;

import dev.holdfast.Holdfast;
import dev.holdfast.torture.history.History;
import java.time.Duration;
import java.util.Random;
import javax.sql.DataSource;

/**
 * What the parts of a node share.
 *
 * @param own for transactions of the application itself
 */
record Context(
    String process,
    History history,
    Holdfast holdfast,
    DataSource own,
    Duration lease,
    Random random,
    Pace pace) {}
