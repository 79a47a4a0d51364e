package dev.holdfast.spring;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.servlet.IdempotentRequest;
import dev.holdfast.workflow.Workflow;
import dev.holdfast.workflow.Workflows;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Where payments of the guide to idempotency are taken. */
@RestController
class PaymentController {
  private final Workflows workflows;
  private final Workflow<Payment, String> payments;

  PaymentController(Workflows workflows, Workflow<Payment, String> payments) {
    this.workflows = workflows;
    this.payments = payments;
  }

  @PostMapping("/payments")
  String pay(HttpServletRequest request, @RequestBody Payment payment) throws Exception {
    IdempotencyKey sent = IdempotentRequest.from(request).orElseThrow().key();
    IdempotencyKey key = new IdempotencyKey(sent.tenant(), sent.principal(), "payment", sent.key());
    return workflows.run(payments, key, payment).orElseThrow();
  }
}
