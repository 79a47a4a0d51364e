package dev.holdfast.spring;

import dev.holdfast.idempotency.Flow;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Where payments of the guide to idempotency are taken. */
@RestController
class PaymentController {
  private final Idempotency idempotency;
  private final Flow<Payment, String> payments;

  PaymentController(Idempotency idempotency, Flow<Payment, String> payments) {
    this.idempotency = idempotency;
    this.payments = payments;
  }

  @PostMapping("/payments")
  String pay(HttpServletRequest request, @RequestBody Payment payment) throws Exception {
    IdempotencyKey sent = IdempotentRequest.of(request).orElseThrow().key();
    IdempotencyKey key = new IdempotencyKey(sent.tenant(), sent.principal(), "payment", sent.key());
    return idempotency.claims().run(payments, key, payment).orThrow();
  }
}
