package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates must be trusted, and be of the name that was called. */
class TlsTest extends SenderTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private static Path folder;
  private static SSLContext server = none();

  @BeforeAll
  static void makeACertificate() throws Exception {
    Path store = folder.resolve("server.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "server",
                "-dname",
                "CN=right.test",
                "-ext",
                "SAN=dns:right.test",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).as(Files.readString(folder.resolve("keytool.log"))).isZero();
    server = context(store);
  }

  @Test
  void acceptsTrustedCertificate() throws IOException {
    sender(settings().ssl(server));
    try (Receiver receiver = receiver()) {
      Attempt attempt = send("https://right.test:" + receiver.port() + "/");
      assertThat(attempt.error()).isEmpty();
      assertThat(send("https://right.test:" + receiver.port() + "/").succeeded()).isTrue();
      assertThat(receiver.connections()).isEqualTo(1);
    }
  }

  @Test
  void aSelfSignedCertificateIsRefused() throws IOException {
    try (Receiver receiver = receiver()) {
      assertRetry(
          send("https://right.test:" + receiver.port() + "/"), "the certificate is not trusted");
      assertThat(receiver.requests()).isEmpty();
    }
  }

  @Test
  void rejectsCertificateOfOtherName() throws IOException {
    sender(settings().ssl(server));
    try (Receiver receiver = receiver()) {
      assertRetry(
          send("https://wrong.test:" + receiver.port() + "/"),
          "the certificate is for another name");
      assertThat(receiver.requests()).isEmpty();
    }
  }

  @Test
  void aTargetThatSpeaksPlainHttpIsRefused() throws IOException {
    try (Receiver receiver =
        Receiver.doing(
            connection -> {
              connection.in.read();
              connection.write(Receiver.OK);
            })) {
      Attempt attempt = send("https://right.test:" + receiver.port() + "/");
      assertThat(attempt.error().orElseThrow()).startsWith("no secure connection: ");
      assertThat(attempt.result()).isInstanceOf(Attempt.Result.Retry.class);
    }
  }

  @Test
  void aHandshakeThatHangsIsCutOff() throws IOException {
    try (Receiver receiver = Receiver.doing(connection -> {})) {
      assertRetry(
          send(call("https://right.test:" + receiver.port() + "/").timeout(SHORT)),
          "no connection within 2 s");
    }
  }

  private static Receiver receiver() throws IOException {
    return Receiver.on(
        "127.0.0.1",
        0,
        server.getServerSocketFactory(),
        connection -> {
          while (true) {
            connection.read();
            connection.write(Receiver.OK);
          }
        });
  }

  private static SSLContext none() {
    try {
      return SSLContext.getInstance("TLS");
    } catch (GeneralSecurityException missing) {
      throw new AssertionError(missing);
    }
  }

  /** Has the key, and trusts its certificate. */
  private static SSLContext context(Path file) throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, PASSWORD);
    trusted.setCertificateEntry("server", store.getCertificate("server"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }
}
