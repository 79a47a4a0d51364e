package dev.holdfast.webhook;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.util.Locale;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.jspecify.annotations.Nullable;

/** Describes failed attempts for the owner of the target. */
final class FailureMessages {
  private static final int MAX_CAUSES = 8;
  private static final int MAX = 300;

  private FailureMessages() {}

  static String notResolved(String host, Throwable failure) {
    if (failure instanceof UnknownHostException) {
      String message = String.valueOf(failure.getMessage());
      return message.contains("Temporary failure")
          ? "the name " + host + " could not be resolved temporarily"
          : "the name " + host + " does not resolve";
    }
    return "the name " + host + " could not be resolved: " + other(failure);
  }

  /** The connection could not be established. */
  static String notConnected(Throwable failure, Duration connectTimeout) {
    if (find(failure, SSLException.class) != null) {
      return tls(failure);
    }
    if (find(failure, SocketTimeoutException.class) != null) {
      return "no connection within " + time(connectTimeout);
    }
    if (find(failure, NoRouteToHostException.class) != null || says(failure, "unreachable")) {
      return "there is no route to the address";
    }
    if (find(failure, ConnectException.class) != null) {
      return "connection refused";
    }
    if (isReset(failure) || find(failure, ConnectionClosedException.class) != null) {
      return "the connection was closed before it was established";
    }
    return "no connection: " + other(failure);
  }

  /** The connection was closed, or the response is not valid. */
  static String interrupted(Throwable failure, boolean headSeen) {
    if (find(failure, MessageConstraintException.class) != null) {
      return "the response headers are too large";
    }
    if (find(failure, HttpException.class) != null
        && find(failure, ConnectionClosedException.class) == null) {
      return "the response is not HTTP";
    }
    if (find(failure, SSLException.class) != null) {
      return tls(failure);
    }
    if (isReset(failure)) {
      return headSeen
          ? "the connection was reset before the response was complete"
          : "the connection was reset before a response arrived";
    }
    if (find(failure, ConnectionClosedException.class) != null
        || find(failure, EOFException.class) != null) {
      return headSeen
          ? "the connection was closed before the response was complete"
          : "the connection was closed before a response arrived";
    }
    return headSeen
        ? "the response was interrupted: " + other(failure)
        : "no response: " + other(failure);
  }

  private static String tls(Throwable failure) {
    if (find(failure, CertificateExpiredException.class) != null) {
      return "the certificate has expired";
    }
    if (find(failure, CertificateNotYetValidException.class) != null) {
      return "the certificate is not valid yet";
    }
    if (find(failure, CertPathBuilderException.class) != null
        || find(failure, CertPathValidatorException.class) != null) {
      return "the certificate is not trusted";
    }
    if (find(failure, SSLPeerUnverifiedException.class) != null
        || find(failure, CertificateException.class) != null) {
      return "the certificate is for another name";
    }
    return "no secure connection: " + other(failure);
  }

  /** A duration in seconds, such as 10 s or 0.25 s. */
  static String time(Duration time) {
    return time.toMillis() % 1000 == 0
        ? time.toSeconds() + " s"
        : String.format(Locale.ROOT, "%.3f", time.toMillis() / 1000.0).replaceAll("0+$", "") + " s";
  }

  private static boolean isReset(Throwable failure) {
    return says(failure, "reset") || says(failure, "broken pipe");
  }

  private static boolean says(Throwable failure, String word) {
    Throwable cause = failure;
    for (int depth = 0; depth < MAX_CAUSES && cause != null; depth++) {
      String message = cause.getMessage();
      if (message != null && message.toLowerCase(Locale.ROOT).contains(word)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static <X extends Throwable> @Nullable X find(Throwable failure, Class<X> type) {
    Throwable cause = failure;
    for (int depth = 0; depth < MAX_CAUSES && cause != null; depth++) {
      if (type.isInstance(cause)) {
        return type.cast(cause);
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static String other(Throwable failure) {
    String message = failure.getMessage();
    String text = Excerpt.safe(message == null ? failure.getClass().getSimpleName() : message);
    return text.length() > MAX ? text.substring(0, MAX) + "…" : text;
  }
}
