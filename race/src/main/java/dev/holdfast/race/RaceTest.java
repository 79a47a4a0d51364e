package dev.holdfast.race;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that explores a race. It takes a {@link Race} and must call {@link Race#explore()}. If
 * there is a finding, the test fails with the report.
 *
 * <p>The data source is the only field of the test class, or of an enclosing class, that is a
 * {@link javax.sql.DataSource}.
 */
@Test
@ExtendWith(RaceExtension.class)
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface RaceTest {
  /** The replay token of a report, to repeat that run instead of exploring. */
  String replay() default "";
}
