package dev.holdfast.race.own;

/**
 * A careless edit of Holdfast, and the program that must tell.
 *
 * @param name what was edited, and how
 * @param alone whether it is wrong already where the actors run one after the other
 */
record Mutant(String name, Program program, Mutation mutation, boolean alone) {
  Mutant(String name, Program program, Mutation mutation) {
    this(name, program, mutation, false);
  }

  @Override
  public String toString() {
    return name;
  }
}
