package dev.holdfast.redis;

import static com.tngtech.archunit.base.DescribedPredicate.doNot;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Instant;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The arrows of the design: what the Redis module may use. */
class ArchitectureTest {
  private static final JavaClasses REDIS =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.holdfast.redis");

  private static final DescribedPredicate<JavaClass> OF_THE_CACHE =
      nameMatching("dev\\.holdfast\\.redis\\.(Redis)?Cache.*").as("are of the cache").forSubtype();

  @Test
  void dependsOnCoreCacheAndLettuceOnly() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "org.slf4j..",
            "org.jspecify..",
            "io.lettuce.core..",
            "dev.holdfast",
            "dev.holdfast.internal",
            "dev.holdfast.lease",
            "dev.holdfast.lease.spi",
            "dev.holdfast.idempotency",
            "dev.holdfast.idempotency.spi",
            "dev.holdfast.internal.idempotency..",
            "dev.holdfast.cache",
            "dev.holdfast.redis")
        .check(REDIS);
  }

  /** Whoever has only leases has no module for the cache. */
  @Test
  void leasesWorkWithoutTheCache() {
    noClasses()
        .that(doNot(OF_THE_CACHE))
        .should()
        .dependOnClassesThat(OF_THE_CACHE)
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage("dev.holdfast.cache..")
        .check(REDIS);
  }

  @Test
  void itNeverAsksTheClockOfTheApplication() {
    noClasses()
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(Instant.class, "now")
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("java[.]time[.](Clock|.*Date.*|.*Time)|java[.]util[.](Date|.*Calendar)")
        .check(REDIS);
  }

  @Test
  void itsPackageIsNullMarked() {
    for (var type : REDIS) {
      assertThat(type.getPackage().isAnnotatedWith(NullMarked.class)).isTrue();
    }
  }
}
