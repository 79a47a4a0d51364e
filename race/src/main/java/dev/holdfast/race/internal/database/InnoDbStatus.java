package dev.holdfast.race.internal.database;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The transactions that {@code SHOW ENGINE INNODB STATUS} lists. Unlike the views of the
 * information schema it is not cached, and is faster than they are.
 */
record InnoDbStatus(List<Transaction> transactions) {

  /**
   * A transaction that is open.
   *
   * @param thread its connection; 0 for one that has none
   * @param awaited the lock it waits for, as text; empty if it does not wait
   * @param locks how many structures of locks it has
   */
  record Transaction(String id, long thread, String awaited, int locks) {
    boolean waits() {
      return !awaited.isEmpty();
    }
  }

  private static final String LIST = "LIST OF TRANSACTIONS FOR EACH SESSION:";
  private static final Pattern BEGIN =
      Pattern.compile("(?m)^---TRANSACTION (\\d+|\\(0x\\p{XDigit}+\\)), ACTIVE.*$");
  private static final Pattern ANY_BEGIN = Pattern.compile("(?m)^---TRANSACTION ");
  private static final Pattern LOCKS =
      Pattern.compile("(?m)^(LOCK WAIT )?[A-Za-z ]*(\\d+) lock struct\\(s\\)");
  private static final Pattern THREAD = Pattern.compile("(?m)^(?:MariaDB|MySQL) thread id (\\d+),");
  private static final Pattern AWAITED =
      Pattern.compile(
          "(?m)^(?:RECORD LOCKS|TABLE LOCK) .*waiting.*$(\\nRecord lock, heap no \\d+)?");

  static InnoDbStatus parse(String text) {
    int from = text.indexOf(LIST);
    List<Transaction> transactions = new ArrayList<>();
    if (from >= 0) {
      for (String block : ANY_BEGIN.split(text.substring(from + LIST.length()), -1)) {
        Matcher begin = BEGIN.matcher("---TRANSACTION " + block);
        if (begin.lookingAt()) {
          transactions.add(transaction(begin.group(1), block));
        }
      }
    }
    return new InnoDbStatus(transactions);
  }

  private static Transaction transaction(String id, String block) {
    Matcher thread = THREAD.matcher(block);
    boolean hasThread = thread.find();
    // after it comes the text of the statement, which may say anything
    String head = hasThread ? block.substring(0, thread.start()) : block;
    Matcher locks = LOCKS.matcher(head);
    boolean hasLocks = locks.find();
    boolean waits = hasLocks && locks.group(1) != null;
    return new Transaction(
        id,
        hasThread ? Long.parseLong(thread.group(1)) : 0,
        waits ? awaited(block) : "",
        hasLocks ? Integer.parseInt(locks.group(2)) : 0);
  }

  private static String awaited(String block) {
    Matcher awaited = AWAITED.matcher(block);
    return awaited.find() ? awaited.group().replaceFirst(" n bits \\d+", "") : "a lock";
  }
}
