package dev.holdfast.servlet;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** A contract of the filter, and the place where it is kept. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FilterContract {
  private final FilterPlaces places;

  /** There while the tests of a class run. */
  FilterPlace place;

  FilterContract(FilterPlaces places) {
    this.places = places;
  }

  @BeforeAll
  void start() {
    place = places.open();
  }

  @AfterAll
  void stop() {
    place.close();
  }
}
