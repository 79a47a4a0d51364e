package dev.holdfast.servlet;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The arrows of the design: what the HTTP edge may use. */
class ArchitectureTest {
  private static final JavaClasses SERVLET =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.holdfast.servlet");

  @Test
  void itUsesCoreAndServletsAndNoFramework() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "org.slf4j..",
            "org.jspecify..",
            "jakarta.servlet",
            "jakarta.servlet.http",
            "dev.holdfast",
            "dev.holdfast.codec",
            "dev.holdfast.internal",
            "dev.holdfast.transaction",
            "dev.holdfast.guard",
            "dev.holdfast.idempotency",
            "dev.holdfast.idempotency.spi",
            "dev.holdfast.workflow",
            "dev.holdfast.servlet")
        .check(SERVLET);
  }

  @Test
  void itNeverAsksTheClockOfTheApplication() {
    noClasses()
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching(
            "java[.]time[.](Clock|Instant|.*Date.*|.*Time)|java[.]util[.](Date|.*Calendar)")
        .check(SERVLET);
  }

  @Test
  void itsPackageIsNullMarked() {
    for (var type : SERVLET) {
      assertThat(type.getPackage().isAnnotatedWith(NullMarked.class)).isTrue();
    }
  }
}
