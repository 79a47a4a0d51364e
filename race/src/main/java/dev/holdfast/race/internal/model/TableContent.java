package dev.holdfast.race.internal.model;

import java.util.List;

/** What is in a table: its rows, in no order that means anything. */
public record TableContent(String table, List<String> columns, List<List<Cell>> rows) {}
