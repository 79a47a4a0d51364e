package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import java.util.List;
import org.springframework.beans.factory.DisposableBean;

/** Counts the conflicts in transactions of Spring in the rates of the application's Holdfast. */
final class ConflictCounting implements DisposableBean {
  private final List<Holdfast> all;

  ConflictCounting(List<Holdfast> all) {
    this.all = List.copyOf(all);
    all.forEach(one -> CurrentTransaction.listen(one.dataSource(), one.conflictRates()));
  }

  @Override
  public void destroy() {
    all.forEach(one -> CurrentTransaction.forget(one.dataSource(), one.conflictRates()));
  }
}
