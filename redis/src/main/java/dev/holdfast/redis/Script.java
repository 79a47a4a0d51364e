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
final class Script {
  private static final Pattern INCLUDE = Pattern.compile("(?m)^-- include (\\S+)$");

  static final Script ACQUIRE = new Script("acquire.lua");
  static final Script ACQUIRE_SHARED = new Script("acquire-shared.lua");
  static final Script RENEW = new Script("renew.lua");
  static final Script RENEW_SHARED = new Script("renew-shared.lua");
  static final Script RELEASE = new Script("release.lua");
  static final Script RELEASE_SHARED = new Script("release-shared.lua");
  static final Script WITHDRAW = new Script("withdraw.lua");
  static final Script FORCE = new Script("force.lua");
  static final Script FORCE_SHARED = new Script("force-shared.lua");
  static final Script LOOK = new Script("look.lua");
  static final Script LOOK_SHARED = new Script("look-shared.lua");
  static final Script CACHE_LOOK = new Script("cache-look.lua");
  static final Script CACHE_WATCH = new Script("cache-watch.lua");
  static final Script CACHE_PUT = new Script("cache-put.lua");
  static final Script CACHE_INVALIDATE = new Script("cache-invalidate.lua");
  static final Script CACHE_TELL = new Script("cache-tell.lua");
  static final Script IDEMPOTENCY_CLAIM = new Script("idempotency-claim.lua");
  static final Script IDEMPOTENCY_RENEW = new Script("idempotency-renew.lua");
  static final Script IDEMPOTENCY_COMPLETE = new Script("idempotency-complete.lua");
  static final Script IDEMPOTENCY_RELEASE = new Script("idempotency-release.lua");
  static final Script IDEMPOTENCY_DELETE = new Script("idempotency-delete.lua");
  static final Script IDEMPOTENCY_FIND = new Script("idempotency-find.lua");
  static final Script WORKFLOW_INTERRUPTED = new Script("workflow-interrupted.lua");
  static final Script WORKFLOW_ADD = new Script("workflow-add.lua");
  static final Script WORKFLOW_REMOVE = new Script("workflow-remove.lua");
  static final Script WORKFLOW_DUE = new Script("workflow-due.lua");
  static final Script WORKFLOW_NAMES = new Script("workflow-names.lua");

  private final byte[] source;
  private final byte[] sha;

  private Script(String file) {
    String text =
        INCLUDE
            .matcher(read(file))
            .replaceAll(line -> Matcher.quoteReplacement(read(line.group(1))));
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
}
