package dev.holdfast.web.access;

import org.jspecify.annotations.Nullable;

/**
 * A token as stored, with a hash of its secret only. Immutable.
 *
 * @param id the public part, with which the token begins
 * @param parentId for a session, the token of the sign-in; null for other tokens
 */
public record TokenRecord(String id, String name, @Nullable String parentId) {
  public boolean isSession() {
    return parentId != null;
  }
}
