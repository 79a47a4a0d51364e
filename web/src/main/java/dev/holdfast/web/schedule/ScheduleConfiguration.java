package dev.holdfast.web.schedule;

import dev.holdfast.Holdfast;
import dev.holdfast.web.event.CallReader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The controller of schedules. */
@Configuration(proxyBeanMethods = false)
public class ScheduleConfiguration {

  @Bean
  ScheduleController holdfastScheduleController(Holdfast holdfast, CallReader calls) {
    return new ScheduleController(holdfast.schedules(), new ScheduleReader(calls));
  }
}
