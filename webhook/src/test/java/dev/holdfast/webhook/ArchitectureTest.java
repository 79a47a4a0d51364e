package dev.holdfast.webhook;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The arrows of the design: what the delivery may use, and what it shows of that. */
class ArchitectureTest {
  private static final JavaClasses WEBHOOK =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.holdfast.webhook");

  @Test
  void itUsesTheClientAndTheHttpClientAndNoFramework() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.net.ssl..",
            "org.slf4j..",
            "org.jspecify..",
            "org.apache.hc..",
            "dev.holdfast.client..",
            "dev.holdfast.webhook..")
        .check(WEBHOOK);
  }

  @Test
  void theHttpClientDoesNotStandInAPublicSignature() {
    DescribedPredicate<JavaClass> http = JavaClass.Predicates.resideInAPackage("org.apache.hc..");
    noMethods()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat()
        .arePublic()
        .should()
        .haveRawReturnType(http)
        .orShould()
        .haveRawParameterTypes(DescribedPredicate.anyElementThat(http))
        .check(WEBHOOK);
  }

  @Test
  void itsPackageIsNullMarked() {
    for (var type : WEBHOOK) {
      assertThat(type.getPackage().isAnnotatedWith(NullMarked.class)).isTrue();
    }
  }
}
