package dev.holdfast.web.event;

import dev.holdfast.Holdfast;
import dev.holdfast.web.api.Mount;
import dev.holdfast.webhook.Attempts;
import dev.holdfast.webhook.WebhookLimits;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The controllers of events, and what they stand on. */
@Configuration(proxyBeanMethods = false)
public class EventsConfiguration {

  @Bean
  Calls holdfastCalls(ObjectProvider<WebhookLimits> limits) {
    return new Calls(limits.getIfAvailable(WebhookLimits::standard));
  }

  @Bean
  NewEvents holdfastNewEvents(Calls calls) {
    return new NewEvents(calls);
  }

  @Bean
  Storing holdfastStoring(Holdfast holdfast) {
    return new Storing(holdfast);
  }

  @Bean
  Intake holdfastIntake(Storing storing) {
    return new Intake(storing);
  }

  @Bean
  EventFinder holdfastEventFinder(Holdfast holdfast) {
    return new EventFinder(holdfast.events());
  }

  @Bean
  EventAnswers holdfastEventAnswers(Mount mount) {
    return new EventAnswers(mount.path());
  }

  @Bean
  EventIntakeController holdfastEventIntakeController(
      NewEvents newEvents, Intake intake, EventAnswers answers) {
    return new EventIntakeController(newEvents, intake, answers);
  }

  @Bean
  PublishController holdfastPublishController(
      NewEvents newEvents, Intake intake, EventAnswers answers) {
    return new PublishController(newEvents, intake, answers);
  }

  @Bean
  BatchController holdfastBatchController(Holdfast holdfast, NewEvents newEvents, Storing storing) {
    return new BatchController(holdfast, newEvents, storing);
  }

  @Bean
  EventReadController holdfastEventReadController(
      Holdfast holdfast, EventFinder finder, Attempts attempts, EventAnswers answers) {
    return new EventReadController(holdfast.events(), finder, attempts, answers);
  }

  @Bean
  EventChangeController holdfastEventChangeController(
      Holdfast holdfast, EventFinder finder, EventAnswers answers) {
    return new EventChangeController(holdfast.events(), finder, answers);
  }

  @Bean
  ReplayController holdfastReplayController(
      Holdfast holdfast, EventFinder finder, EventAnswers answers) {
    return new ReplayController(holdfast.events(), finder, answers);
  }
}
