package dev.holdfast.race;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that explores a race: it gets a {@link Race}, whose {@link Race#explore()} it must call,
 * and fails with the report where something is found. The actors get their connections from the one
 * field of the test class, or of those around it, that is a {@link javax.sql.DataSource}.
 */
@Test
@ExtendWith(RaceExtension.class)
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface RaceTest {
  /** The token of a report, to make that run again instead of exploring. */
  String replay() default "";
}
