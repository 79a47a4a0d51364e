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
 * The secrets with which webhooks are signed, kept in the database.
 *
 * <p>Guaranteed: of any number of servers that start on a new database at once, one makes the first
 * secret; there is always at least one; every webhook is signed with all of them, the newest first,
 * so a receiver may know any. A change reaches all servers within a few seconds: each reads them
 * again every two. To replace one, make another, give it to the receivers, and delete the old one.
 * Thread-safe.
 */
public final class SigningSecrets implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SigningSecrets.class);
  private static final String FIRST = "first";
  private static final Duration REFRESH = Duration.ofSeconds(2);

  private final SecretStore store;
  private final ScheduledExecutorService refresher;
  private volatile List<SigningSecretRecord> known = List.of();
  private volatile @Nullable WebhookSigner signer;

  /** What became of a deletion. */
  public enum Deletion {
    DELETED,
    NOT_FOUND,
    /** It is the only one, and stays. */
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
   * Those of a database, read again and again until they are closed; makes the first where there is
   * none.
   *
   * @param schema the name of the schema of Holdfast's tables; null for the current one
   */
  public static SigningSecrets open(Holdfast holdfast, @Nullable String schema) {
    SecretStore store = new SecretStore(WebhookTables.of(holdfast, schema));
    SigningSecrets secrets = new SigningSecrets(store);
    if (store.list().isEmpty()) {
      secrets.tryMake(FIRST);
    }
    secrets.refresh();
    var unused =
        secrets.refresher.scheduleWithFixedDelay(
            secrets::refreshQuietly, REFRESH.toMillis(), REFRESH.toMillis(), TimeUnit.MILLISECONDS);
    return secrets;
  }

  /** Signs with all of them, as they were a moment ago; asks nobody. */
  WebhookSigner signer() {
    WebhookSigner current = signer;
    if (current == null) {
      throw new IllegalStateException("there must be a signing secret, there is none");
    }
    return current;
  }

  /** All of them, the newest first. */
  public List<SigningSecretRecord> list() {
    refresh();
    return known;
  }

  public Optional<SigningSecretRecord> find(String id) {
    return list().stream().filter(one -> one.id().equals(id)).findFirst();
  }

  /** Makes another one, which signs beside the others. */
  public SigningSecretRecord create() {
    String id = DatabaseId.random();
    tryMake(id);
    return find(id).orElseThrow();
  }

  public Deletion delete(String id) {
    Deletion result = store.delete(id);
    refresh();
    return result;
  }

  private void tryMake(String id) {
    try {
      store.insert(id, WebhookSecret.generate());
    } catch (DatabaseException e) {
      // another server has made it
      if (e.error() != SqlError.UNIQUE_VIOLATION) {
        throw e;
      }
    }
  }

  private synchronized void refresh() {
    List<SigningSecretRecord> all = store.list();
    if (all.isEmpty()) {
      // somebody has emptied the table by hand; the last ones known are better than none
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
