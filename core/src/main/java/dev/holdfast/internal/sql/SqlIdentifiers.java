package dev.holdfast.internal.sql;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The one place where names of tables and columns are checked.
 *
 * <p>A plain name is read as SQL reads it, so it is folded to the case that the database folds to.
 * A name in double quotes or backticks keeps its case. Up to three parts may be joined by dots.
 * Thread-safe.
 */
public final class SqlIdentifiers {
  private static final Pattern PART =
      Pattern.compile(
          "(?<plain>[A-Za-z_][A-Za-z0-9_$]*)"
              + "|\"(?<quoted>[\\p{L}\\p{N}_$ -]+)\""
              + "|`(?<ticked>[\\p{L}\\p{N}_$ -]+)`");
  private static final int MAX_PARTS = 3;

  /** Names come from code, so there are few; somebody may make them up all the same. */
  private static final int MAX_CACHED = 10_000;

  private final char quote;
  private final Folding folding;
  private final int maxPartLength;
  private final boolean inBytes;
  private final Map<String, String> quoted = new ConcurrentHashMap<>();

  /** How a database changes a name that stands in SQL without quotes. */
  public enum Folding {
    LOWER,
    UPPER,
    NONE
  }

  public SqlIdentifiers(char quote, Folding folding, int maxPartLength) {
    this(quote, folding, maxPartLength, false);
  }

  /**
   * @param inBytes whether the database counts the bytes of a name in UTF-8 rather than characters
   */
  SqlIdentifiers(char quote, Folding folding, int maxPartLength, boolean inBytes) {
    this.quote = quote;
    this.folding = folding;
    this.maxPartLength = maxPartLength;
    this.inBytes = inBytes;
  }

  /** Checks a name and quotes each of its parts. */
  public String quote(@Nullable String given) {
    String name = Require.notBlank(given, "the name of a table or column");
    String known = quoted.get(name);
    if (known == null) {
      known = check(name);
      if (quoted.size() >= MAX_CACHED) {
        quoted.clear();
      }
      quoted.put(name, known);
    }
    return known;
  }

  private String check(String name) {
    List<String> parts = new ArrayList<>();
    Matcher matcher = PART.matcher(name);
    int position = 0;
    while (matcher.region(position, name.length()).lookingAt()) {
      String part = part(matcher);
      int length = inBytes ? part.getBytes(StandardCharsets.UTF_8).length : part.length();
      if (length > maxPartLength) {
        throw new InvalidArgumentException(
            "a name must have at most %d %s here, had %d: '%s'"
                .formatted(maxPartLength, inBytes ? "bytes" : "characters", length, part));
      }
      parts.add(quote + part + quote);
      position = matcher.end();
      if (position == name.length() && parts.size() <= MAX_PARTS) {
        return String.join(".", parts);
      }
      if (position == name.length() || name.charAt(position) != '.') {
        break;
      }
      position++;
    }
    throw new InvalidArgumentException(
        "a name of a table or column must be letters, digits and '_', or such a name with spaces in"
            + " quotes, with at most two dots between its parts; was '"
            + name
            + "'");
  }

  private String part(Matcher matcher) {
    String plain = matcher.group("plain");
    if (plain == null) {
      String quoted = matcher.group("quoted");
      return quoted == null ? matcher.group("ticked") : quoted;
    }
    return switch (folding) {
      case LOWER -> plain.toLowerCase(Locale.ROOT);
      case UPPER -> plain.toUpperCase(Locale.ROOT);
      case NONE -> plain;
    };
  }
}
