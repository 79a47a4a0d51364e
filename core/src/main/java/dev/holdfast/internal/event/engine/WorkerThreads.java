package dev.holdfast.internal.event.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of a worker: virtual ones for handlers if the JDK has them. */
final class WorkerThreads {
  private WorkerThreads() {}

  /** For the user's handlers. */
  static ThreadFactory handlers(String name) {
    try {
      // Thread.ofVirtual().name(prefix, 0).factory(), from JDK 21 on
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
      Method naming = type.getMethod("name", String.class, long.class);
      Method making = Class.forName("java.lang.Thread$Builder").getMethod("factory");
      return (ThreadFactory) making.invoke(naming.invoke(builder, name + "-", 0L));
    } catch (NoSuchMethodException | ClassNotFoundException e) {
      return platform(name);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("virtual threads are there and cannot be made", e);
    }
  }

  /** For the engine itself. */
  static ThreadFactory platform(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + number.getAndIncrement());
      thread.setDaemon(true);
      return thread;
    };
  }
}
