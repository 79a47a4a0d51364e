package dev.holdfast.web.access;

import org.jspecify.annotations.Nullable;

/**
 * A token that is known. Its secret is not: only a hash of it is kept. Immutable.
 *
 * @param id the public part, with which the token begins
 * @param parentId the token that a sign-in was made with; null for one that is no session
 */
public record TokenRecord(String id, String name, @Nullable String parentId) {
  public boolean isSession() {
    return parentId != null;
  }
}
