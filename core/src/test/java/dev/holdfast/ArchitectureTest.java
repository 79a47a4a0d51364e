package dev.holdfast;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Which package may use which. */
class ArchitectureTest {
  private static final JavaClasses CORE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.holdfast");

  /** Capabilities whose API, engine and store are packages that use each other in one direction. */
  private static final Set<String> LAYERED = Set.of("event", "lease", "job", "schedule");

  @Test
  void packagesHaveNoCycles() {
    slices().assignedFrom(SLICES).should().beFreeOfCycles().check(CORE);
  }

  /**
   * Each package of a layered capability is a slice. Of any other capability its API and internals
   * are one slice, and so is everything that uses JDBC.
   */
  private static final SliceAssignment SLICES =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          String[] names = type.getPackageName().split("\\.", -1);
          if (names.length < 3) {
            // Holdfast connects all of them
            return SliceIdentifier.ignore();
          }
          String capability = names[2].equals("internal") && names.length > 3 ? names[3] : names[2];
          if (LAYERED.contains(capability)) {
            return SliceIdentifier.of(type.getPackageName());
          }
          return SliceIdentifier.of(
              Set.of("transaction", "schema").contains(capability) ? "sql" : capability);
        }

        @Override
        public String getDescription() {
          return "packages";
        }
      };

  @Test
  void theApiOfALayeredCapabilityDoesNotUseItsInternals() {
    for (String capability : LAYERED) {
      noClasses()
          .that()
          .resideInAPackage("dev.holdfast." + capability + "..")
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("dev.holdfast.internal.*..")
                  // checks of arguments, which API and engine share; SQL over tables of users
                  .and(
                      JavaClass.Predicates.resideOutsideOfPackages(
                          "dev.holdfast.internal." + capability, "dev.holdfast.internal.sql")))
          .check(CORE);
    }
  }

  @Test
  void storesDoNotUseEngines() {
    noClasses()
        .that()
        .resideInAPackage("dev.holdfast.internal.*.store..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.holdfast.internal.*.engine..")
        .check(CORE);
  }

  @Test
  void theCoreIsFreeOfFrameworks() {
    classes()
        .that()
        .resideOutsideOfPackages("dev.holdfast.event.json", "dev.holdfast.idempotency.json")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "java..", "javax.sql..", "org.slf4j..", "org.jspecify..", "dev.holdfast.."))
        .check(CORE);
  }

  @Test
  void onlyTheJsonCodecsKnowJackson() {
    classes()
        .that()
        .resideInAnyPackage("dev.holdfast.event.json", "dev.holdfast.idempotency.json")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("java..", "org.jspecify..", "tools.jackson..", "dev.holdfast.."))
        .check(CORE);
  }

  @Test
  void theFloorKnowsNothingOfWhatStandsOnIt() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.holdfast.transaction..",
            "dev.holdfast.schema..",
            "dev.holdfast.internal.sql..",
            "dev.holdfast.internal")
        .should()
        .dependOnClassesThat(
            are(resideInAPackage("dev.holdfast.."))
                .and(
                    JavaClass.Predicates.resideOutsideOfPackages(
                        "dev.holdfast",
                        "dev.holdfast.transaction..",
                        "dev.holdfast.schema..",
                        "dev.holdfast.internal.sql..",
                        "dev.holdfast.internal")))
        .check(CORE);
  }

  @Test
  void leasesNeverAskTheClockOfTheApplication() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.holdfast.lease..",
            "dev.holdfast.internal.lease..",
            "dev.holdfast.job..",
            "dev.holdfast.internal.job..")
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .accessTargetWhere(target(name("now")).and(targetOwner(resideInAPackage("java.time"))))
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("java[.]time[.](Clock|.*Date.*)|java[.]util[.](Date|.*Calendar)")
        .check(CORE);
    // jobs have times, all of which are read from the database
    noClasses()
        .that()
        .resideInAnyPackage("dev.holdfast.lease..", "dev.holdfast.internal.lease..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.time.Instant")
        .check(CORE);
  }

  @Test
  void idempotencyUsesDatabaseClock() {
    // it knows moments, all of which are read from the store
    noClasses()
        .that()
        .resideInAnyPackage("dev.holdfast.idempotency..", "dev.holdfast.workflow..")
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .accessTargetWhere(target(name("now")).and(targetOwner(resideInAPackage("java.time"))))
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("java[.]time[.](Clock|.*Date.*)|java[.]util[.](Date|.*Calendar)")
        .check(CORE);
  }

  @Test
  void capabilitiesAreIndependent() {
    doNotKnowEachOther("lease", "event", "guard", "schedule", "idempotency", "workflow");
    doNotKnowEachOther("idempotency", "event", "guard", "schedule", "lease");
    doNotKnowEachOther("workflow", "event", "guard", "schedule", "lease");
    doNotKnowEachOther("guard", "event", "schedule");
    doNotKnowEachOther("job", "event", "guard", "schedule", "idempotency");
    noClasses()
        .that()
        .resideInAnyPackage(both("lease"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(both("job"))
        .check(CORE);
  }

  @Test
  void idempotencyDoesNotKnowWorkflows() {
    noClasses()
        .that()
        .resideInAPackage("dev.holdfast.idempotency..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.holdfast.workflow..")
        .check(CORE);
  }

  private static void doNotKnowEachOther(String room, String... others) {
    String[] here = both(room);
    String[] there =
        Arrays.stream(others).flatMap(other -> Arrays.stream(both(other))).toArray(String[]::new);
    noClasses()
        .that()
        .resideInAnyPackage(here)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(there)
        .check(CORE);
    noClasses()
        .that()
        .resideInAnyPackage(there)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(here)
        .check(CORE);
  }

  /** The API of a capability and its internals. */
  private static String[] both(String capability) {
    return new String[] {
      "dev.holdfast." + capability + "..", "dev.holdfast.internal." + capability + ".."
    };
  }

  @Test
  void onlyTheEntranceKnowsTheRooms() {
    noClasses()
        .that()
        .resideInAPackage("dev.holdfast")
        .and()
        .haveNameNotMatching("dev[.]holdfast[.]Holdfast([$].*)?")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.holdfast.*..")
        .check(CORE);
  }

  @Test
  void publicSignaturesHaveNoInternalTypes() {
    classes()
        .that()
        .resideOutsideOfPackage("..internal..")
        .and()
        .arePublic()
        .should(haveNoInternalTypeInTheirSignatures())
        .check(CORE);
  }

  /** Of their supertypes, and of the fields, constructors and methods that others can use. */
  private static ArchCondition<JavaClass> haveNoInternalTypeInTheirSignatures() {
    return new ArchCondition<>("have no internal type in their signatures") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        type.getSuperclass().ifPresent(above -> check(type, type.getName(), above, events));
        type.getInterfaces().forEach(above -> check(type, type.getName(), above, events));
        type.getFields().stream()
            .filter(this::isOpen)
            .forEach(field -> check(type, field.getFullName(), field.getType(), events));
        type.getCodeUnits().stream().filter(this::isOpen).forEach(unit -> check(unit, events));
      }

      private void check(JavaCodeUnit unit, ConditionEvents events) {
        check(unit.getOwner(), unit.getFullName(), unit.getReturnType(), events);
        unit.getParameterTypes()
            .forEach(type -> check(unit.getOwner(), unit.getFullName(), type, events));
      }

      private void check(JavaClass owner, String where, JavaType type, ConditionEvents events) {
        type.getAllInvolvedRawTypes().stream()
            .filter(this::isInternal)
            .map(internal -> where + " has " + internal.getName())
            .forEach(text -> events.add(SimpleConditionEvent.violated(owner, text)));
      }

      private boolean isOpen(JavaMember member) {
        Set<JavaModifier> modifiers = member.getModifiers();
        return !modifiers.contains(JavaModifier.SYNTHETIC)
            && (modifiers.contains(JavaModifier.PUBLIC)
                || modifiers.contains(JavaModifier.PROTECTED));
      }

      private boolean isInternal(JavaClass type) {
        // the factories that only Holdfast calls still take these two
        return type.getPackageName().startsWith("dev.holdfast")
            && type.getPackageName().contains(".internal")
            && !type.getName().equals("dev.holdfast.internal.sql.Dialect")
            && !type.getName().equals("dev.holdfast.internal.sql.CommitStatement");
      }
    };
  }

  @Test
  void everyPackageIsNullMarked() {
    classes()
        .should(
            new ArchCondition<>("reside in a package that is @NullMarked") {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                if (!type.getPackage().isAnnotatedWith(NullMarked.class)) {
                  events.add(SimpleConditionEvent.violated(type, type.getName()));
                }
              }
            })
        .check(CORE);
  }
}
