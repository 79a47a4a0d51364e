package dev.holdfast.web;

import dev.holdfast.Holdfast;
import dev.holdfast.event.InstanceRecord;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;

/** Lists the instances that use this database. */
@ApiController
class InstancesController {
  private final Holdfast holdfast;

  InstancesController(Holdfast holdfast) {
    this.holdfast = holdfast;
  }

  record Instances(List<Instance> items) {}

  record Instance(String id, String name, Instant since, Duration leaseLeft, boolean alive) {
    static Instance of(InstanceRecord known) {
      return new Instance(
          Long.toString(known.id()),
          known.name(),
          known.startedAt(),
          known.leaseRemaining(),
          known.isAlive());
    }
  }

  @GetMapping(path = "/v1/instances", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> list() {
    return Json.ok(new Instances(holdfast.stats().instances().stream().map(Instance::of).toList()));
  }
}
