package dev.holdfast.spring;

import dev.holdfast.BackgroundService;
import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Worker;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;

/**
 * A {@link Worker} with the {@link EventHandler} beans of the application, if it has some, and the
 * lifecycle of all {@link BackgroundService} beans.
 */
@AutoConfiguration(
    after = {HoldfastAutoConfiguration.class, HoldfastIdempotencyAutoConfiguration.class},
    afterName = "dev.holdfast.web.HoldfastWebhookAutoConfiguration")
@ConditionalOnBean(Holdfast.class)
public class HoldfastWorkerAutoConfiguration {

  /** The other services are beans of their own here, so that they run without handlers, too. */
  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnProperty(name = "holdfast.worker.enabled", matchIfMissing = true)
  @Conditional(HasHandlers.class)
  Worker holdfastWorker(
      Holdfast holdfast,
      HoldfastProperties properties,
      ObjectProvider<EventHandler<?>> handlers,
      ObjectProvider<HoldfastWorkerCustomizer> customizers) {
    Worker.Builder builder = holdfast.worker().scheduling(false).cleanup(false);
    try {
      properties.applyTo(builder);
      handlers.orderedStream().forEach(builder::handle);
      customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
      return builder.build();
    } catch (InvalidArgumentException e) {
      throw new WorkerStartException(e);
    }
  }

  @Bean
  @ConditionalOnBean(BackgroundService.class)
  @Lazy(false) // no bean asks for it
  HoldfastLifecycle holdfastLifecycle(ListableBeanFactory beans, HoldfastProperties properties) {
    return new HoldfastLifecycle(
        beans.getBeansOfType(BackgroundService.class), properties.worker().shutdownTimeout());
  }

  /** Whether there is something that a worker could handle. */
  static final class HasHandlers extends AnyNestedCondition {
    HasHandlers() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnBean(EventHandler.class)
    static class Handler {}

    @ConditionalOnBean(HoldfastWorkerCustomizer.class)
    static class Customizer {}
  }
}
