package dev.holdfast.redis;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Remembers what it was told. */
final class Heard implements LeaseStore.Listener {
  private final AtomicInteger missed = new AtomicInteger();
  private final List<News> news = new CopyOnWriteArrayList<>();

  /** Of a lease that was released or revoked. */
  record News(String what, LeaseKey key, @Nullable UUID who) {}

  List<News> of(LeaseKey key) {
    return news.stream().filter(one -> one.key().equals(key)).toList();
  }

  int missedTimes() {
    return missed.get();
  }

  @Override
  public void onReleased(LeaseKey key, @Nullable UUID next) {
    news.add(new News("released", key, next));
  }

  @Override
  public void onRevoked(LeaseKey key, @Nullable UUID owner) {
    news.add(new News("revoked", key, owner));
  }

  @Override
  public void onResync() {
    missed.incrementAndGet();
  }
}
