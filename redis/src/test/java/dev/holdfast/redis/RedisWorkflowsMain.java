package dev.holdfast.redis;

import dev.holdfast.testing.contract.WorkflowTestProcess;
import dev.holdfast.workflow.Workflows;
import java.io.IOException;

/** An instance with claims in Redis, as a process of its own. */
final class RedisWorkflowsMain {
  private RedisWorkflowsMain() {}

  public static void main(String[] args) throws IOException {
    WorkflowTestProcess.run(
        Workflows.create(ProcessesRedis.of(args).records(), WorkflowTestProcess.OPTIONS));
  }
}
