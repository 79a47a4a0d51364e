package dev.holdfast.spring;

import java.time.Duration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether expired idempotency records are deleted: not if the interval is zero. */
final class CleanUpEnabled extends SpringBootCondition {
  private static final String INTERVAL = "holdfast.idempotency.cleanup-interval";

  @Override
  public ConditionOutcome getMatchOutcome(
      ConditionContext context, AnnotatedTypeMetadata metadata) {
    boolean never =
        Binder.get(context.getEnvironment())
            .bind(INTERVAL, Duration.class)
            .map(Duration::isZero)
            .orElse(false);
    ConditionMessage.Builder message = ConditionMessage.forCondition("idempotency cleaner");
    return never
        ? ConditionOutcome.noMatch(message.because(INTERVAL + " is 0"))
        : ConditionOutcome.match(message.because(INTERVAL + " is not 0"));
  }
}
