package dev.holdfast.web.event;

import dev.holdfast.Holdfast;
import dev.holdfast.web.api.Mount;
import dev.holdfast.webhook.Attempts;
import dev.holdfast.webhook.WebhookLimits;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The controllers of events and their services. */
@Configuration(proxyBeanMethods = false)
public class EventsConfiguration {

  @Bean
  CallReader holdfastCallReader(ObjectProvider<WebhookLimits> limits) {
    return new CallReader(limits.getIfAvailable(WebhookLimits::ofDefaults));
  }

  @Bean
  EventReader holdfastEventReader(CallReader calls) {
    return new EventReader(calls);
  }

  @Bean
  EventIntake holdfastEventIntake(Holdfast holdfast) {
    return new EventIntake(holdfast);
  }

  @Bean
  EventFinder holdfastEventFinder(Holdfast holdfast) {
    return new EventFinder(holdfast.events());
  }

  @Bean
  EventResponses holdfastEventResponses(Mount mount) {
    return new EventResponses(mount.path());
  }

  @Bean
  EventCreateController holdfastEventCreateController(
      EventReader reader, EventIntake intake, EventResponses responses) {
    return new EventCreateController(reader, intake, responses);
  }

  @Bean
  PublishController holdfastPublishController(
      EventReader reader, EventIntake intake, EventResponses responses) {
    return new PublishController(reader, intake, responses);
  }

  @Bean
  BatchController holdfastBatchController(
      Holdfast holdfast, EventReader reader, EventIntake intake) {
    return new BatchController(holdfast, reader, intake);
  }

  @Bean
  EventReadController holdfastEventReadController(
      Holdfast holdfast, EventFinder finder, Attempts attempts, EventResponses responses) {
    return new EventReadController(holdfast.events(), finder, attempts, responses);
  }

  @Bean
  EventChangeController holdfastEventChangeController(
      Holdfast holdfast, EventFinder finder, EventResponses responses) {
    return new EventChangeController(holdfast.events(), finder, responses);
  }

  @Bean
  ReplayController holdfastReplayController(
      Holdfast holdfast, EventFinder finder, EventResponses responses) {
    return new ReplayController(holdfast.events(), finder, responses);
  }
}
