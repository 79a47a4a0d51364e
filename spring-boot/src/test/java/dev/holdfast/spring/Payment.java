package dev.holdfast.spring;

/** What is to be paid, in the guide to idempotency. */
record Payment(String card, long cents) {}
