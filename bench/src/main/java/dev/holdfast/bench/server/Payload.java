package dev.holdfast.bench.server;

/** What all calls have as their body. */
final class Payload {
  static final String BODY =
      """
      {"type":"invoice.paid","invoice":"in_2026_000417","customer":"cus_77120","amount":129900,\
      "currency":"EUR","paidAt":"2026-11-15T09:00:00Z","lines":[{"sku":"SEAT","count":12}]}""";

  private Payload() {}
}
