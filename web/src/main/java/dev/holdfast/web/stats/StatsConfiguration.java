package dev.holdfast.web.stats;

import dev.holdfast.Holdfast;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.queue.QueueController;
import dev.holdfast.web.queue.QueueViews;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The controllers of queues and stats, and what they stand on. */
@Configuration(proxyBeanMethods = false)
public class StatsConfiguration {
  private static final int MAX_LISTENERS = 100;

  /** Counts on a thread of its own, which is there once somebody asks. */
  static final class Counting implements DisposableBean {
    private final ExecutorService thread =
        Executors.newSingleThreadExecutor(daemon("holdfast-count"));
    private final DepthReader reader;

    Counting(Holdfast holdfast) {
      this.reader = new DepthReader(holdfast.stats(), thread);
    }

    @Override
    public void destroy() {
      thread.shutdownNow();
    }
  }

  private static ThreadFactory daemon(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  @Bean
  Counting holdfastCounting(Holdfast holdfast) {
    return new Counting(holdfast);
  }

  @Bean
  QueueViews holdfastQueues(Holdfast holdfast) {
    return new QueueViews(holdfast);
  }

  @Bean
  StatsBoard holdfastStatsBoard(Holdfast holdfast, QueueViews queues, Counting counting) {
    return new StatsBoard(holdfast, queues, counting.reader);
  }

  @Bean
  StatsStream holdfastStatsStream(StatsBoard board, Access access) {
    return new StatsStream(
        board,
        access::validIds,
        Executors.newSingleThreadScheduledExecutor(daemon("holdfast-stream")),
        MAX_LISTENERS);
  }

  @Bean
  StatsController holdfastStatsController(StatsBoard board, StatsStream stream) {
    return new StatsController(board, stream);
  }

  @Bean
  QueueController holdfastQueueController(Holdfast holdfast, QueueViews queues, Counting counting) {
    return new QueueController(holdfast, queues, counting.reader);
  }
}
