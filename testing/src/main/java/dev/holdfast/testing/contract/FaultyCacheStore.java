package dev.holdfast.testing.contract;

import dev.holdfast.StoreException;
import dev.holdfast.cache.CacheStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A store that counts what it is asked, and can be made to fail or to be slow. Thread-safe. */
final class FaultyCacheStore implements CacheStore {
  private final CacheStore real;
  final AtomicInteger asked = new AtomicInteger();

  /** How many have begun to wait for another. */
  final AtomicInteger watched = new AtomicInteger();

  /** Called before a value is stored. */
  volatile Runnable beforePut = () -> {};

  /** Called before each step. */
  volatile Runnable before = () -> {};

  /** Whether what others tell is lost, unnoticed. */
  volatile boolean deaf;

  /** Called once, after the next look has seen what it sees. */
  final AtomicReference<Runnable> afterLook = new AtomicReference<>(() -> {});

  FaultyCacheStore(CacheStore real) {
    this.real = real;
  }

  static StoreException gone() {
    return new StoreException("cache-store", "a step", "the cable was pulled", true, null);
  }

  private CacheStore step() {
    asked.incrementAndGet();
    before.run();
    return real;
  }

  @Override
  public Found get(String name) {
    Found found = step().get(name);
    afterLook.getAndSet(() -> {}).run();
    return found;
  }

  @Override
  public Found watch(String name, Duration mark) {
    Found found = step().watch(name, mark);
    watched.incrementAndGet();
    return found;
  }

  @Override
  public boolean put(Value value) {
    beforePut.run();
    return step().put(value);
  }

  @Override
  public void invalidate(String name) {
    step().invalidate(name);
  }

  @Override
  public void tell(String name) {
    step().tell(name);
  }

  @Override
  public Subscription subscribe(Listener listener) {
    if (!deaf) {
      return real.subscribe(listener);
    }
    return new Subscription() {
      @Override
      public boolean hears() {
        return true;
      }

      @Override
      public void close() {}
    };
  }
}
