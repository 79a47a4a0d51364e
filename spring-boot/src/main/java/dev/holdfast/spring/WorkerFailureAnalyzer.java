package dev.holdfast.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do where the application does not start because of its worker. */
final class WorkerFailureAnalyzer extends AbstractFailureAnalyzer<WorkerStartException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, WorkerStartException cause) {
    return new FailureAnalysis(
        String.valueOf(cause.getMessage()),
        "Change what the description names. The size of Boot's pool is"
            + " spring.datasource.hikari.maximum-pool-size, settings of the worker are the"
            + " properties holdfast.worker.* and beans of HoldfastWorkerCustomizer, and"
            + " holdfast.worker.enabled=false leaves the worker out.",
        cause);
  }
}
