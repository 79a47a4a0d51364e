package dev.holdfast.race;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that crashes an operation everywhere: it gets a {@link Crash}, whose {@link
 * Crash#explore()} it must call, and fails with the report where a second try does not mend it. For
 * the data source see {@link RaceTest}.
 */
@Test
@ExtendWith(RaceExtension.class)
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface CrashTest {
  /** The token of a report, to make that run again instead of exploring. */
  String replay() default "";
}
