package dev.holdfast.cache;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * What a key of a cache is called in the store, and among the leases: the cache, a colon and the
 * key; or the hash of the key, where it is too long or cannot be stored. Then its proof goes with
 * each value, so that two keys with the same name never see each other's values.
 *
 * @param proof the key itself where the name has only its hash, otherwise empty
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record CacheName(String text, byte[] proof) {
  private static final int MAX_KEY_LENGTH = 100_000;
  private static final int HASH_LENGTH = 43;
  private static final byte[] NONE = {};

  /**
   * @param cache without a colon
   */
  static CacheName of(String cache, String key) {
    String whole = cache + ":" + key;
    if (whole.length() <= CacheStore.MAX_NAME_LENGTH && isStorable(key)) {
      return new CacheName(whole, NONE);
    }
    Require.that(
        key.length() <= MAX_KEY_LENGTH,
        () ->
            "the key of a cache must have at most "
                + MAX_KEY_LENGTH
                + " characters, had "
                + key.length()
                + ": "
                + Excerpt.quoted(key));
    byte[] proof = charByChar(key);
    return new CacheName(cache + ":#" + hash(proof), proof);
  }

  /** Each as it is, single surrogates too. */
  private static byte[] charByChar(String key) {
    byte[] bytes = new byte[2 * key.length()];
    for (int i = 0; i < key.length(); i++) {
      bytes[2 * i] = (byte) (key.charAt(i) >> 8);
      bytes[2 * i + 1] = (byte) key.charAt(i);
    }
    return bytes;
  }

  private static boolean isStorable(String key) {
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c == 0) {
        return false;
      }
      if (Character.isSurrogate(c)) {
        if (!Character.isHighSurrogate(c)
            || i + 1 == key.length()
            || !Character.isLowSurrogate(key.charAt(i + 1))) {
          return false;
        }
        i++;
      }
    }
    return true;
  }

  private static String hash(byte[] key) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(key);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash).substring(0, HASH_LENGTH);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** The name of the lease whose holder loads it. */
  String lease() {
    return "cache:" + text;
  }

  /** For people to read. */
  @Override
  public String toString() {
    return Excerpt.quoted(text);
  }
}
