package dev.holdfast.servlet;

/** Where a contract is run. */
@FunctionalInterface
interface FilterPlaces {
  FilterPlace open();
}
