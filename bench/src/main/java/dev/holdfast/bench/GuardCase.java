package dev.holdfast.bench;

import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transactions;

/** One guard and its hand-written twin: the same statements' effect on the same table. */
interface GuardCase {
  String name();

  void prepare(TestSchema schema);

  /** One transaction of the guard's operations; answers how many. */
  int ours(Transactions transactions) throws Exception;

  /** The same, as an experienced developer writes it. */
  int theirs(HandWritten jdbc) throws Exception;
}
