package dev.holdfast.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of schedules in a Spring Boot application. Immutable.
 *
 * @param enabled whether this application fires due schedules, whoever handles their events; of
 *     several instances one fires each
 */
@ConfigurationProperties("holdfast.schedules")
public record HoldfastScheduleProperties(@DefaultValue("true") boolean enabled) {}
