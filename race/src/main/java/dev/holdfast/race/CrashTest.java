package dev.holdfast.race;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that crashes an operation at each of its steps. It takes a {@link Crash} and must call
 * {@link Crash#explore()}. If a rerun after a crash gives a wrong result, the test fails with the
 * report. For the data source see {@link RaceTest}.
 */
@Test
@ExtendWith(RaceExtension.class)
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface CrashTest {
  /** The replay token of a report, to repeat that run instead of exploring. */
  String replay() default "";
}
