package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Lua script: a resource of this package, in which {@code -- include x.lua} stands for a file.
 */
enum Script {
  ACQUIRE("acquire.lua"),
  ACQUIRE_SHARED("acquire-shared.lua"),
  RENEW("renew.lua"),
  RENEW_SHARED("renew-shared.lua"),
  RELEASE("release.lua"),
  RELEASE_SHARED("release-shared.lua"),
  FORCE("force.lua"),
  FORCE_SHARED("force-shared.lua"),
  LOOK("look.lua"),
  LOOK_SHARED("look-shared.lua");

  private final byte[] source;
  private final byte[] sha;

  Script(String file) {
    String text = Included.in(read(file));
    source = text.getBytes(UTF_8);
    sha = sha1(source).getBytes(US_ASCII);
  }

  byte[] source() {
    return source;
  }

  byte[] sha() {
    return sha;
  }

  private static String read(String file) {
    try (InputStream in = Script.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the jar of holdfast-redis must have " + file);
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  private static String sha1(byte[] source) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }

  /** Apart, because the constants of an enum cannot use its static fields when they are made. */
  private static final class Included {
    private static final Pattern LINE = Pattern.compile("(?m)^-- include (\\S+)$");

    static String in(String text) {
      return LINE.matcher(text).replaceAll(line -> Matcher.quoteReplacement(read(line.group(1))));
    }
  }
}
