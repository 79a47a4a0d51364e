package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Move;
import dev.holdfast.race.internal.model.RunRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A run as a short text, to make it again: which actor goes how many times ({@code A2B1}, a crash
 * as {@code A!d}), and three letters of each step, which show whether the code still makes the same
 * steps; a plus if an actor never ends after them.
 */
record Token(List<Move> moves, List<String> steps, boolean endless) {
  private static final String VERSION = "HF1";
  private static final Pattern FORM =
      Pattern.compile("HF1-((?:[A-Z](?:\\d+|![dDlL]))+)-(\\w*)(\\+?)");
  private static final Pattern MOVE = Pattern.compile("([A-Z])(?:(\\d+)|!([dDlL]))");
  private static final int STEP = 3;
  private static final int MAX_MOVES = 100_000;

  /**
   * Of a run.
   *
   * @param places for each of its actors, its place among all that the test has: a finding may have
   *     fewer
   * @param endless whether the run is only the beginning of one that does not end
   */
  static Token of(RunRecord run, List<Integer> places, boolean endless) {
    return new Token(
        run.moves().stream().map(move -> new Move(places.get(move.actor()), move.fate())).toList(),
        run.entries().stream().map(Token::letters).toList(),
        endless);
  }

  /** The places of the actors that take part. */
  List<Integer> places() {
    return moves.stream().map(Move::actor).distinct().sorted().toList();
  }

  /** The decisions, for those that take part alone. */
  List<Move> movesAmong(List<Integer> places) {
    return moves.stream().map(move -> new Move(places.indexOf(move.actor()), move.fate())).toList();
  }

  /** The first letter of the statement and two of its text; not of the values in it. */
  static String letters(Entry entry) {
    String text = Shape.of(entry.step()).strip();
    char first =
        text.isEmpty() ? '_' : Character.toUpperCase(text.toLowerCase(Locale.ROOT).charAt(0));
    char shown = first < 128 && Character.isLetterOrDigit(first) ? first : '_';
    int hash = (text.hashCode() & 0x7fffffff) % (36 * 36);
    return "" + shown + Character.forDigit(hash / 36, 36) + Character.forDigit(hash % 36, 36);
  }

  static Token parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new Unexplorable(
          "'" + text + "' is no replay token; copy the one that begins with HF1- from the report");
    }
    List<Move> moves = new ArrayList<>();
    Matcher move = MOVE.matcher(form.group(1));
    while (move.find()) {
      int actor = move.group(1).charAt(0) - 'A';
      int times = move.group(3) != null ? 1 : Math.min(MAX_MOVES, number(move.group(2)));
      for (int i = 0; i < times && moves.size() < MAX_MOVES; i++) {
        moves.add(move.group(3) == null ? Move.go(actor) : new Move(actor, fate(move.group(3))));
      }
    }
    List<String> steps = new ArrayList<>();
    String letters = form.group(2);
    for (int at = 0; at + STEP <= letters.length(); at += STEP) {
      steps.add(letters.substring(at, at + STEP));
    }
    return new Token(moves, steps, !form.group(3).isEmpty());
  }

  private static int number(String digits) {
    return digits.length() > 6 ? MAX_MOVES : Integer.parseInt(digits);
  }

  private static Fate fate(String letter) {
    return switch (letter) {
      case "d" -> Fate.DIE_BEFORE;
      case "D" -> Fate.DIE_AFTER;
      case "l" -> Fate.LOSE_BEFORE;
      default -> Fate.LOSE_AFTER;
    };
  }

  private static String letter(Fate fate) {
    return switch (fate) {
      case DIE_BEFORE -> "d";
      case DIE_AFTER -> "D";
      case LOSE_BEFORE -> "l";
      default -> "L";
    };
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(VERSION).append('-');
    for (int at = 0; at < moves.size(); ) {
      Move move = moves.get(at);
      int end = at + 1;
      text.append((char) ('A' + move.actor()));
      if (move.fate() != Fate.GO) {
        text.append('!').append(letter(move.fate()));
      } else {
        while (end < moves.size() && moves.get(end).equals(move)) {
          end++;
        }
        text.append(end - at);
      }
      at = end;
    }
    text.append('-');
    steps.forEach(text::append);
    return text.append(endless ? "+" : "").toString();
  }

  /** Refuses a run that does not make the steps of this token, and shows where they part. */
  void mustMatch(List<Entry> entries, List<String> actors) {
    StringBuilder diff = new StringBuilder();
    boolean differs = false;
    int compared = endless ? steps.size() : Math.max(steps.size(), entries.size());
    for (int at = 0; at < compared; at++) {
      String was = at < steps.size() ? steps.get(at) : "(no step)";
      String is = at < entries.size() ? letters(entries.get(at)) : "(no step)";
      String shown =
          at < entries.size()
              ? actors.get(entries.get(at).actor()) + ": " + entries.get(at).step().text()
              : "(nothing)";
      boolean same = was.equals(is);
      differs |= !same;
      diff.append(same ? "\n    " : "\n  ! ").append(at + 1).append("  ");
      diff.append(same ? shown : "was " + verb(was) + ", is now " + shown);
    }
    if (differs) {
      throw new Unexplorable(
          "the replay token no longer matches the code, which makes other steps now:"
              + diff
              + "\n  Explore again without the token");
    }
  }

  private static String verb(String step) {
    return switch (step.charAt(0)) {
      case 'S' -> "another SELECT";
      case 'U' -> "another UPDATE";
      case 'I' -> "another INSERT";
      case 'D' -> "another DELETE";
      case 'C' -> "a COMMIT";
      case 'R' -> "a ROLLBACK";
      case '(' -> "nothing";
      default -> "something that begins with " + step.charAt(0);
    };
  }
}
