package dev.holdfast.webhook;

import dev.holdfast.Holdfast;
import dev.holdfast.client.WebhookSecret;
import dev.holdfast.client.WebhookSigner;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secrets that sign webhooks, stored in the database.
 *
 * <p><b>Guarantees:</b> If several instances start on a new database, one of them creates the first
 * secret. There is always at least one. Every webhook is signed with all secrets, the newest first,
 * so a receiver needs only one of them. All instances use a change within a few seconds, because
 * they read the secrets every two seconds.
 *
 * <p>To replace a secret, create another one, configure it at the receivers, and delete the old
 * one. Thread-safe.
 */
public final class SigningSecrets implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SigningSecrets.class);
  private static final String FIRST = "first";
  private static final Duration REFRESH = Duration.ofSeconds(2);

  private final SecretStore store;
  private final ScheduledExecutorService refresher;
  private volatile List<SigningSecretRecord> known = List.of();
  private volatile @Nullable WebhookSigner signer;

  /** The result of a deletion. */
  public enum DeleteResult {
    DELETED,
    NOT_FOUND,
    /** It is the only secret and was not deleted. */
    LAST
  }

  private SigningSecrets(SecretStore store) {
    this.store = store;
    this.refresher =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "holdfast-webhook-secrets");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Opens the secrets of this Holdfast, and creates the first one if there is none.
   *
   * @param schema the schema of the tables; null for the current one of the connection
   */
  public static SigningSecrets open(Holdfast holdfast, @Nullable String schema) {
    SecretStore store = new SecretStore(WebhookTables.of(holdfast, schema));
    SigningSecrets secrets = new SigningSecrets(store);
    if (store.list().isEmpty()) {
      secrets.createIfAbsent(FIRST);
    }
    secrets.refresh();
    var unused =
        secrets.refresher.scheduleWithFixedDelay(
            secrets::refreshQuietly, REFRESH.toMillis(), REFRESH.toMillis(), TimeUnit.MILLISECONDS);
    return secrets;
  }

  /** Signs with all secrets that were read last. No I/O. */
  WebhookSigner signer() {
    WebhookSigner current = signer;
    if (current == null) {
      throw new IllegalStateException("there must be a signing secret, there is none");
    }
    return current;
  }

  /** All secrets, the newest first. */
  public List<SigningSecretRecord> list() {
    refresh();
    return known;
  }

  public Optional<SigningSecretRecord> find(String id) {
    return list().stream().filter(one -> one.id().equals(id)).findFirst();
  }

  /** Creates another secret, which signs in addition to the others. */
  public SigningSecretRecord create() {
    String id = DatabaseId.random();
    createIfAbsent(id);
    return find(id).orElseThrow();
  }

  public DeleteResult delete(String id) {
    DeleteResult result = store.delete(id);
    refresh();
    return result;
  }

  private void createIfAbsent(String id) {
    try {
      store.insert(id, WebhookSecret.generate());
    } catch (DatabaseException e) {
      // another instance created it
      if (e.error() != SqlError.UNIQUE_VIOLATION) {
        throw e;
      }
    }
  }

  private synchronized void refresh() {
    List<SigningSecretRecord> all = store.list();
    if (all.isEmpty()) {
      // the table was emptied outside of Holdfast; keep the last known secrets
      LOG.warn(
          "webhook-secret-missing: no signing secret in the database; signing with the last known"
              + " secrets");
      return;
    }
    known = all;
    signer =
        WebhookSigner.of(
            all.stream().map(SigningSecretRecord::secret).toArray(WebhookSecret[]::new));
  }

  private void refreshQuietly() {
    try {
      refresh();
    } catch (RuntimeException e) {
      LOG.debug("could not refresh the signing secrets", e);
    }
  }

  @Override
  public void close() {
    refresher.shutdown();
  }
}
