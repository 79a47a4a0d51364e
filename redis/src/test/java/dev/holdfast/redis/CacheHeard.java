package dev.holdfast.redis;

import dev.holdfast.cache.CacheStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what it was told of cached values. */
final class CacheHeard implements CacheStore.Listener {
  private final List<String> words = new CopyOnWriteArrayList<>();

  List<String> words() {
    return List.copyOf(words);
  }

  long missedTimes() {
    return words.stream().filter("missed"::equals).count();
  }

  @Override
  public void changed(String name) {
    words.add("changed " + name);
  }

  @Override
  public void invalidated(String name) {
    words.add("invalidated " + name);
  }

  @Override
  public void missed() {
    words.add("missed");
  }
}
