package dev.holdfast.race.internal.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the future of a run depends on, as a text, kept without asking the database.
 *
 * <ul>
 *   <li>An actor that is deterministic is where it is because of what it has learned: the results
 *       of its steps.
 *   <li>What a transaction has changed and not committed follows from its statements and from what
 *       was committed when each was made (and, if it had to wait, when it resumed).
 *   <li>What is committed follows from the transactions that were, in their order.
 * </ul>
 *
 * <p>So two runs with the same text have the same future. Statements that see more than that (SKIP
 * LOCKED, advisory locks, sequences; everything at SERIALIZABLE and READ UNCOMMITTED; all locks of
 * InnoDB, whose gaps depend on rows that are not committed) also carry what all others had under
 * way.
 */
final class StateKeys {
  private static final Pattern MAKES_IDS =
      Pattern.compile("(?i)\\b(insert|merge|replace|call|do)\\b");

  private static final class Transaction {
    private final int number;
    private String history = "";
    private boolean writes;

    private Transaction(int number) {
      this.number = number;
    }
  }

  private final NormalizedTexts normal;
  private final Database database;
  private final boolean gaps;
  private boolean strict;
  private String committed = "";
  private int inserts;
  private int endings;
  private final String[] seen;
  private final String[] base;
  private final List<Map<Integer, Transaction>> open = new ArrayList<>();

  StateKeys(int actors, Database database, boolean strict) {
    this.normal = new NormalizedTexts(database::isGenerated);
    this.database = database;
    this.gaps = !database.product().equals("PostgreSQL") && !database.product().equals("H2");
    this.strict = strict;
    this.seen = new String[actors];
    this.base = new String[actors];
    Arrays.fill(seen, "");
    Arrays.fill(base, "");
    for (int actor = 0; actor < actors; actor++) {
      open.add(new TreeMap<>());
    }
  }

  /** From now on everything may depend on everything. */
  void beStrict() {
    strict = true;
  }

  String normal(int actor, String text) {
    return normal.of(actor, text);
  }

  /** Whether no other session can see when this step is made. */
  boolean isInvisible(int actor, Step step) {
    if (strict || !step.endsTransaction()) {
      return false;
    }
    Transaction transaction = open.get(actor).get(step.connection());
    return transaction == null || !transaction.writes;
  }

  /** A step is about to be made. */
  void begins(int actor, Step step) {
    String now = committed;
    if (isContextual(step)) {
      now += "/" + underWay();
    }
    if (step.kind() != StepKind.COMMIT && MAKES_IDS.matcher(step.text()).find()) {
      now += "/" + inserts++;
    }
    base[actor] = now;
  }

  private boolean isContextual(Step step) {
    return strict || (gaps && !step.plainRead()) || database.seesUncommitted(step.text());
  }

  private String underWay() {
    StringBuilder all = new StringBuilder();
    for (Map<Integer, Transaction> transactions : open) {
      transactions.values().forEach(transaction -> all.append(transaction.history).append(','));
      all.append(';');
    }
    return all.toString();
  }

  /** A step was made, and what it answered was read. */
  void ended(int actor, Step step, StepResult result, boolean waited, Fate fate) {
    String text = normal.of(actor, step.text() + step.params());
    String learned = normal.of(actor, result.learned());
    seen[actor] = hash(seen[actor], text, learned, fate.name());
    if (step.endsTransaction() || result.error() != null) {
      endings++;
    }
    if (fate.before()) {
      return;
    }
    Map<Integer, Transaction> transactions = open.get(actor);
    switch (step.kind()) {
      case STATEMENT, BATCH, ROLLBACK_TO -> {
        Transaction in = transactions.get(step.connection());
        if (in == null || in.number != step.transaction()) {
          // the one before was in autocommit mode, and no step ends it: a read, a CALL
          committedByItself(in);
          in = new Transaction(step.transaction());
          transactions.put(step.connection(), in);
        }
        in.history = hash(in.history, text, base[actor], waited ? committed : "", learned);
        in.writes |= !step.plainRead();
      }
      case COMMIT -> {
        Transaction in = transactions.remove(step.connection());
        if (in != null && in.writes && (result.error() == null || fate.after())) {
          committed = hash(committed, in.history);
        } else if (in != null && strict) {
          committed = hash(committed, "read", in.history);
        }
      }
      case ROLLBACK -> transactions.remove(step.connection());
      case POINT, EFFECT -> committed = hash(committed, String.valueOf(actor), text);
    }
  }

  /** Whether it has a transaction open, according to its steps. */
  boolean isInTransaction(int actor) {
    return !open.get(actor).isEmpty();
  }

  /** How many transactions have ended until now, or may have. */
  int endings() {
    return endings;
  }

  /** The life of an actor has ended, with all its transactions. */
  void dropped(int actor) {
    endings++;
    open.get(actor).values().forEach(this::committedByItself);
    open.get(actor).clear();
  }

  private void committedByItself(@Nullable Transaction transaction) {
    if (transaction != null && transaction.writes) {
      committed = hash(committed, transaction.history);
    }
  }

  /**
   * The state.
   *
   * @param phases the phase of each actor, and the order of the waiting ones
   */
  String state(List<String> phases) {
    StringBuilder all = new StringBuilder(committed);
    for (int actor = 0; actor < seen.length; actor++) {
      all.append('\n').append(phases.get(actor)).append(' ').append(seen[actor]).append(' ');
      open.get(actor).values().forEach(transaction -> all.append(transaction.history).append(','));
    }
    return hash(all.toString());
  }

  private static String hash(@Nullable String... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      for (String part : parts) {
        digest.update(String.valueOf(part).getBytes(UTF_8));
        digest.update((byte) 0);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has MD5".toUpperCase(Locale.ROOT), e);
    }
  }
}
