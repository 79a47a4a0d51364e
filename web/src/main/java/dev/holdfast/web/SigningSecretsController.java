package dev.holdfast.web;

import dev.holdfast.servlet.ProblemException;
import dev.holdfast.web.api.ApiController;
import dev.holdfast.web.api.Audited;
import dev.holdfast.web.api.Json;
import dev.holdfast.web.api.ProblemType;
import dev.holdfast.webhook.SigningSecretRecord;
import dev.holdfast.webhook.SigningSecrets;
import java.time.Instant;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** The secrets that sign webhooks. */
@ApiController
@RequestMapping("/v1/signing-secrets")
public class SigningSecretsController {
  private final SigningSecrets secrets;

  public SigningSecretsController(SigningSecrets secrets) {
    this.secrets = secrets;
  }

  record Page(List<Item> items) {}

  /** Without the secret, because lists are shown on screens. */
  record Item(String id, Instant createdAt, boolean signs) {
    static Item of(SigningSecretRecord secret) {
      return new Item(secret.id(), secret.createdAt(), true);
    }
  }

  record Revealed(String id, Instant createdAt, boolean signs, String secret) {
    static Revealed of(SigningSecretRecord secret) {
      return new Revealed(secret.id(), secret.createdAt(), true, secret.secret().reveal());
    }
  }

  @GetMapping(produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> list() {
    return Json.ok(new Page(secrets.list().stream().map(Item::of).toList()));
  }

  @Audited
  @GetMapping(path = "/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> get(@PathVariable("id") String id) {
    return Json.ok(Revealed.of(secrets.find(id).orElseThrow(() -> missing(id))));
  }

  @Audited
  @PostMapping(produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> create() {
    return Json.of(HttpStatus.CREATED, Revealed.of(secrets.create()));
  }

  @Audited
  @DeleteMapping("/{id}")
  ResponseEntity<byte[]> delete(@PathVariable("id") String id) {
    switch (secrets.delete(id)) {
      case NOT_FOUND -> throw missing(id);
      case LAST ->
          throw ProblemType.CONFLICT
              .with("the only signing secret cannot be deleted; create another one first")
              .toException();
      case DELETED -> {}
    }
    return ResponseEntity.noContent().build();
  }

  private static ProblemException missing(String id) {
    return ProblemType.NOT_FOUND.with("no signing secret has the id '" + id + "'").toException();
  }
}
