package dev.holdfast.redis;

import dev.holdfast.Holdfast;
import dev.holdfast.testing.contract.WorkflowTestProcess;
import java.io.IOException;

/** An instance with claims in Redis, as a process of its own. */
final class RedisWorkflowsMain {
  private RedisWorkflowsMain() {}

  public static void main(String[] args) throws IOException {
    WorkflowTestProcess.run(
        Holdfast.createWorkflows(ProcessesRedis.of(args).records(), WorkflowTestProcess.OPTIONS));
  }
}
