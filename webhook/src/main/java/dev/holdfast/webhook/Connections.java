package dev.holdfast.webhook;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.async.MinimalHttpAsyncClient;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.nio.AsyncClientEndpoint;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.reactor.ssl.SSLBufferMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * The pool of connections, by target and address.
 *
 * <p>The minimal client knows neither redirects nor cookies, authentication, retries, proxies or
 * content encodings, so that none of them has to be switched off.
 */
final class Connections implements AutoCloseable {
  private static final int MAX_LINE_LENGTH = 8192;
  private static final int MAX_HEADERS = 100;

  /** There are three of them for every connection; the 32 KiB of the client are 96 KiB of heap. */
  private static final int BUFFER_BYTES = 2048;

  private final PoolingAsyncClientConnectionManager pool;
  private final MinimalHttpAsyncClient client;
  private final TimeValue idle;

  Connections(SenderSettings settings) {
    this.idle = TimeValue.of(settings.idle());
    this.pool =
        PoolingAsyncClientConnectionManagerBuilder.create()
            .setDnsResolver(new NoNames())
            .setTlsStrategy(tls(settings.ssl()))
            // the other policies never forget a target
            .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.STRICT)
            .setMaxConnTotal(settings.connections())
            .setMaxConnPerRoute(settings.connections())
            .setDefaultConnectionConfig(
                ConnectionConfig.custom()
                    .setConnectTimeout(Timeout.of(settings.connectTimeout()))
                    .build())
            .setDefaultTlsConfig(
                TlsConfig.custom()
                    .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1)
                    .setHandshakeTimeout(Timeout.of(settings.connectTimeout()))
                    .build())
            .build();
    this.client =
        HttpAsyncClients.createMinimal(
            null,
            Http1Config.custom()
                .setBufferSize(BUFFER_BYTES)
                .setMaxLineLength(MAX_LINE_LENGTH)
                .setMaxHeaderCount(MAX_HEADERS)
                .setMaxEmptyLineCount(1)
                .build(),
            IOReactorConfig.custom().setTcpNoDelay(true).build(),
            pool);
    client.start();
  }

  private static TlsStrategy tls(@Nullable SSLContext ssl) {
    // buffers of 16 KiB and more only while something is sent or received
    ClientTlsStrategyBuilder builder =
        ClientTlsStrategyBuilder.create().setSslBufferMode(SSLBufferMode.DYNAMIC);
    return (ssl == null ? builder : builder.setSslContext(ssl)).buildAsync();
  }

  /**
   * Gives a connection to this very address, an idle one or a new one. It is not cancelled, because
   * a connection that comes after that would be lost: who no longer wants it discards it.
   */
  void lease(Target target, InetAddress address, FutureCallback<AsyncClientEndpoint> callback) {
    // its outcome is told to the callback
    var unused =
        client.lease(
            new HttpHost(target.scheme(), address, target.host(), target.port()), callback);
  }

  void closeIdle() {
    pool.closeIdle(idle);
  }

  /** How many connections are kept or in use. */
  int count() {
    return pool.getTotalStats().getAvailable() + pool.getTotalStats().getLeased();
  }

  @Override
  public void close() {
    pool.close(CloseMode.IMMEDIATE);
    // gracefully, although nothing is left to wait for: otherwise its threads log an error each
    client.close(CloseMode.GRACEFUL);
  }

  /** Every connection is made to an address that was judged; a name that gets here fails. */
  private static final class NoNames implements DnsResolver {
    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      throw new UnknownHostException(host + " was not resolved by the address guard");
    }

    @Override
    public List<InetSocketAddress> resolve(String host, int port) throws UnknownHostException {
      throw new UnknownHostException(host + " was not resolved by the address guard");
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }
}
