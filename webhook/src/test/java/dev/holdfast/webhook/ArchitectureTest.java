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

/** The dependencies of the module. */
class ArchitectureTest {
  private static final JavaClasses WEBHOOK =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.holdfast.webhook");

  @Test
  void usesNoFramework() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.net.ssl..",
            "org.slf4j..",
            "org.jspecify..",
            "org.apache.hc..",
            "dev.holdfast",
            "dev.holdfast.client..",
            "dev.holdfast.codec",
            "dev.holdfast.event..",
            "dev.holdfast.internal..",
            "dev.holdfast.jackson",
            "dev.holdfast.transaction..",
            "dev.holdfast.webhook..")
        .check(WEBHOOK);
  }

  @Test
  void hidesHttpClientInPublicSignatures() {
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
  void isNullMarked() {
    for (var type : WEBHOOK) {
      assertThat(type.getPackage().isAnnotatedWith(NullMarked.class)).isTrue();
    }
  }
}
