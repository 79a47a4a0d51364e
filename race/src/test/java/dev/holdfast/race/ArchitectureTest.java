package dev.holdfast.race;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arrows between the packages of the race finder. */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.holdfast.race");

  @ParameterizedTest
  @CsvSource({
    "model, 'database jdbc run explore judge report'",
    "database, 'jdbc run explore judge report'",
    "jdbc, 'run explore judge report'",
    "judge, 'database jdbc run explore report'",
    "report, 'database jdbc run explore judge'",
    "run, 'explore judge report'",
    "explore, 'report'",
  })
  void aPackageUsesOnlyThoseItStandsOn(String from, String forbidden) {
    for (String to : forbidden.split(" ", -1)) {
      noClasses()
          .that()
          .resideInAPackage("dev.holdfast.race.internal." + from + "..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.holdfast.race.internal." + to + "..")
          .check(CLASSES);
    }
  }

  @ParameterizedTest
  @CsvSource({"model", "database", "jdbc", "run", "explore", "judge", "report"})
  void whatIsInsideDoesNotUseTheFace(String inside) {
    noClasses()
        .that()
        .resideInAPackage("dev.holdfast.race.internal." + inside + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.holdfast.race")
        .check(CLASSES);
  }
}
