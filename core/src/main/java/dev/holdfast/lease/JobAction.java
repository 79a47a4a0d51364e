package dev.holdfast.lease;

/** What an exclusive job does. */
@FunctionalInterface
public interface JobAction<X extends Exception> {
  /** Does it; interrupted when its lease is lost. */
  void run(JobRun run) throws X;
}
