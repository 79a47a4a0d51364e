package dev.holdfast.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One numbered file of SQL. Its statements end with {@code ;} at the end of a line; a line that
 * begins with {@code --} is a comment; {@code ${schema}} stands for the quoted schema and its dot.
 *
 * @param text with line ends as {@code \n}, so that the checksum is the same however git wrote it
 */
record MigrationFile(int version, String name, String text) {
  private static final Pattern FILE_NAME = Pattern.compile("(\\d{4})_([a-z0-9_]{1,95})\\.sql");
  private static final Pattern TABLE =
      Pattern.compile(
          "^(?<verb>CREATE|DROP) TABLE (?:IF (?:NOT )?EXISTS )?\\$\\{schema}(?<name>\\w+)(?! PARTITION OF|\\w)",
          Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

  static MigrationFile of(String fileName, String content) {
    Matcher matcher = FILE_NAME.matcher(fileName);
    if (!matcher.matches()) {
      throw new IllegalStateException("a migration must be named NNNN_name.sql, was " + fileName);
    }
    return new MigrationFile(
        Integer.parseInt(matcher.group(1)),
        matcher.group(2),
        content.replace("\r\n", "\n").replace('\r', '\n'));
  }

  static String fileName(int version, String name) {
    return "%04d_%s.sql".formatted(version, name);
  }

  String fileName() {
    return fileName(version, name);
  }

  /** SHA-256 of the text as it was written, before the schema is filled in. */
  String checksum() {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** The statements, without comments and without their semicolons. */
  List<String> statements(String schemaPrefix) {
    List<String> statements = new ArrayList<>();
    StringBuilder statement = new StringBuilder();
    for (String line : text.replace("${schema}", schemaPrefix).split("\n", -1)) {
      String code = line.stripTrailing();
      if (code.isBlank() || code.stripLeading().startsWith("--")) {
        continue;
      }
      boolean last = code.endsWith(";");
      statement.append(last ? code.substring(0, code.length() - 1) : code);
      if (last) {
        statements.add(statement.toString());
        statement.setLength(0);
      } else {
        statement.append('\n');
      }
    }
    if (!statement.isEmpty()) {
      throw new IllegalStateException(
          fileName() + " must end with ';' at the end of a line, ends with: " + statement);
    }
    return statements;
  }

  /** The tables that are there when these files have run, in lower case. */
  static Set<String> tables(List<MigrationFile> files) {
    Set<String> tables = new TreeSet<>();
    for (MigrationFile file : files) {
      Matcher matcher = TABLE.matcher(file.text);
      while (matcher.find()) {
        String table = matcher.group("name").toLowerCase(Locale.ROOT);
        if (matcher.group("verb").equalsIgnoreCase("CREATE")) {
          tables.add(table);
        } else {
          tables.remove(table);
        }
      }
    }
    return tables;
  }
}
