package dev.holdfast.race.own;

/**
 * A careless edit of Holdfast, and the program that must tell.
 *
 * @param name what was edited, and how
 */
record Mutant(String name, Program program, Mutation mutation) {
  @Override
  public String toString() {
    return name;
  }
}
