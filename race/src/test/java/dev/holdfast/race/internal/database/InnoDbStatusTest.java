package dev.holdfast.race.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.database.InnoDbStatus.Transaction;
import org.junit.jupiter.api.Test;

final class InnoDbStatusTest {
  private static final String MYSQL =
      """
      LATEST DETECTED DEADLOCK
      *** (1) TRANSACTION:
      TRANSACTION 11, ACTIVE 0 sec starting index read
      LOCK WAIT 3 lock struct(s), heap size 1128, 2 row lock(s)
      MySQL thread id 77, OS thread handle 1, query id 1 localhost root updating
      ------------
      TRANSACTIONS
      ------------
      Trx id counter 25
      LIST OF TRANSACTIONS FOR EACH SESSION:
      ---TRANSACTION 421234567890, not started
      0 lock struct(s), heap size 1128, 0 row lock(s)
      ---TRANSACTION 24, ACTIVE 0 sec starting index read
      mysql tables in use 1, locked 1
      LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
      MySQL thread id 7, OS thread handle 140607185065664, query id 917 localhost root updating
      update t set v=6 where id=1
      ------- TRX HAS BEEN WAITING 0 SEC FOR THIS LOCK TO BE GRANTED:
      RECORD LOCKS space id 8 page no 3 n bits 320 index PRIMARY of table `a`.`t` trx id 24 \
      lock_mode X locks rec but not gap waiting
      Record lock, heap no 2 PHYSICAL RECORD: n_fields 4; compact format; info bits 0
       0: len 4; hex 80000001; asc     ;;

      ------------------
      ---TRANSACTION 23, ACTIVE 0 sec
      2 lock struct(s), heap size 1128, 1 row lock(s), undo log entries 1
      MySQL thread id 6, OS thread handle 140607498835648, query id 916 localhost root
      select '
      LOCK WAIT 9 lock struct(s)'
      ---TRANSACTION 22, ACTIVE (PREPARED) 5 sec recovered trx
      ROLLING BACK 1 lock struct(s), heap size 1128, 0 row lock(s), undo log entries 1
      --------
      FILE I/O
      """;

  @Test
  void listsTransactionsAndThreads() {
    assertThat(InnoDbStatus.parse(MYSQL).transactions())
        .containsExactly(
            new Transaction(
                "24",
                7,
                "RECORD LOCKS space id 8 page no 3 index PRIMARY of table `a`.`t` trx id 24"
                    + " lock_mode X locks rec but not gap waiting\nRecord lock, heap no 2",
                2),
            new Transaction("23", 6, "", 2),
            new Transaction("22", 0, "", 1));
  }

  @Test
  void anUnknownTextHasNone() {
    assertThat(InnoDbStatus.parse("").transactions()).isEmpty();
  }
}
