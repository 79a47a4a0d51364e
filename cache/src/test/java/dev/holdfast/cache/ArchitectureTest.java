package dev.holdfast.cache;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The arrows of the design: what the cache may use, and what it shows of that. */
class ArchitectureTest {
  private static final JavaClasses CACHE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.holdfast.cache");

  @Test
  void dependsOnCoreAndCaffeineOnly() {
    classes()
        .that()
        .resideOutsideOfPackage("dev.holdfast.cache.json")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.sql..",
            "org.slf4j..",
            "org.jspecify..",
            "com.github.benmanes.caffeine..",
            "dev.holdfast",
            "dev.holdfast.internal..",
            "dev.holdfast.transaction..",
            "dev.holdfast.internal.sql..",
            "dev.holdfast.lease",
            "dev.holdfast.cache..")
        .check(CACHE);
  }

  @Test
  void onlyTheJsonCodecKnowsJackson() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.holdfast.cache.json")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("tools.jackson..")
        .check(CACHE);
  }

  @Test
  void caffeineDoesNotStandInAPublicSignature() {
    DescribedPredicate<JavaClass> caffeine =
        JavaClass.Predicates.resideInAPackage("com.github.benmanes.caffeine..");
    noMethods()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat()
        .arePublic()
        .should()
        .haveRawReturnType(caffeine)
        .orShould()
        .haveRawParameterTypes(DescribedPredicate.anyElementThat(caffeine))
        .check(CACHE);
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
        .check(CACHE);
  }

  @Test
  void itsPackagesAreNullMarked() {
    for (var type : CACHE) {
      assertThat(type.getPackage().isAnnotatedWith(NullMarked.class)).isTrue();
    }
  }
}
