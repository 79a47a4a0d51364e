package dev.holdfast.spring;

import dev.holdfast.schema.SchemaException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do where the application does not start because of Holdfast's tables. */
final class SchemaFailureAnalyzer extends AbstractFailureAnalyzer<SchemaException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SchemaException cause) {
    String action =
        switch (cause.reason()) {
          case MISSING, OUTDATED ->
              "Set holdfast.schema.mode=migrate to have Holdfast's tables created and upgraded, or"
                  + " run what Migrations.script(…) prints.";
          default -> "See the description; Holdfast never repairs a schema by itself.";
        };
    return new FailureAnalysis(String.valueOf(cause.getMessage()), action, cause);
  }
}
