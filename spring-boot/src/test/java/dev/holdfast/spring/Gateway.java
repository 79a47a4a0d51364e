package dev.holdfast.spring;

import java.io.IOException;

/** Another company's, of the payments in the guide to idempotency; charges once for a key. */
interface Gateway {
  String charge(String card, long cents, String key) throws IOException;
}
