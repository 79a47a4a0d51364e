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
 * A pool of connections by target and address.
 *
 * <p>The minimal client has no redirects, cookies, authentication, retries, proxies or content
 * encodings, so none of them has to be disabled.
 */
final class ConnectionPool implements AutoCloseable {
  private static final int MAX_LINE_LENGTH = 8192;
  private static final int MAX_HEADERS = 100;

  /** Each connection has three buffers; the 32 KiB of the client would be 96 KiB of heap. */
  private static final int BUFFER_BYTES = 2048;

  private final PoolingAsyncClientConnectionManager pool;
  private final MinimalHttpAsyncClient client;
  private final TimeValue idle;

  ConnectionPool(SenderOptions options) {
    this.idle = TimeValue.of(options.idleTimeout());
    this.pool =
        PoolingAsyncClientConnectionManagerBuilder.create()
            .setDnsResolver(new RejectingResolver())
            .setTlsStrategy(tls(options.ssl()))
            // the other policies never remove a target
            .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.STRICT)
            .setMaxConnTotal(options.maxConnections())
            .setMaxConnPerRoute(options.maxConnections())
            .setDefaultConnectionConfig(
                ConnectionConfig.custom()
                    .setConnectTimeout(Timeout.of(options.connectTimeout()))
                    .build())
            .setDefaultTlsConfig(
                TlsConfig.custom()
                    .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1)
                    .setHandshakeTimeout(Timeout.of(options.connectTimeout()))
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
   * Leases an idle or a new connection to this address. It cannot be cancelled, because a
   * connection that is established later would leak; the caller discards it instead.
   */
  void lease(Target target, InetAddress address, FutureCallback<AsyncClientEndpoint> callback) {
    // the callback receives the result
    var unused =
        client.lease(
            new HttpHost(target.scheme(), address, target.host(), target.port()), callback);
  }

  void closeIdle() {
    pool.closeIdle(idle);
  }

  /** Number of connections that are idle or in use. */
  int count() {
    return pool.getTotalStats().getAvailable() + pool.getTotalStats().getLeased();
  }

  @Override
  public void close() {
    pool.close(CloseMode.IMMEDIATE);
    // gracefully, although the pool is closed: otherwise each of its threads logs an error
    client.close(CloseMode.GRACEFUL);
  }

  /** Connections go to checked addresses only, so no name may be resolved here. */
  private static final class RejectingResolver implements DnsResolver {
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
