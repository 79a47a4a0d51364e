package dev.holdfast.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The arrows of the design: the client uses nothing. */
class ArchitectureTest {
  private static final JavaClasses CLIENT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.holdfast.client");

  @Test
  void theClientNeedsOnlyTheJdk() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "javax.crypto..", "org.jspecify..", "dev.holdfast.client..")
        .check(CLIENT);
  }

  @Test
  void itsPackageIsNullMarked() {
    for (var type : CLIENT) {
      assertThat(type.getPackage().isAnnotatedWith(NullMarked.class)).isTrue();
    }
  }
}
