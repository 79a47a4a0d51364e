package dev.holdfast.web;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.holdfast.web.api.ApiController;
import org.junit.jupiter.api.Test;
import org.springframework.stereotype.Controller;

/** Which room of the API may use which, and that no controller is outside of its frame. */
class ArchitectureTest {
  private static final JavaClasses WEB =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.holdfast.web");

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.holdfast.(web.*)..").should().beFreeOfCycles().check(WEB);
  }

  @Test
  void theFrameKnowsNothingOfWhatIsInIt() {
    noClasses()
        .that()
        .resideInAPackage("dev.holdfast.web.api")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.holdfast.web", "dev.holdfast.web.access..")
        .check(WEB);
  }

  @Test
  void everyControllerIsGuarded() {
    classes()
        .that()
        .areMetaAnnotatedWith(Controller.class)
        .and()
        .areNotAnnotations()
        .should()
        .beAnnotatedWith(ApiController.class)
        .check(WEB);
  }
}
