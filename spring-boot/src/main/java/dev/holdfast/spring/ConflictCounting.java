package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import java.util.List;
import org.springframework.beans.factory.DisposableBean;

/**
 * Makes {@link CurrentTransaction} that of the application's Holdfast, in whose rates it counts.
 */
final class ConflictCounting implements DisposableBean {
  private final List<Holdfast> all;

  ConflictCounting(List<Holdfast> all) {
    this.all = List.copyOf(all);
    all.forEach(CurrentTransaction::know);
  }

  @Override
  public void destroy() {
    all.forEach(CurrentTransaction::forget);
  }
}
