package dev.holdfast.webhook;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.BasicEntityDetails;
import org.apache.hc.core5.http.nio.AsyncClientExchangeHandler;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.apache.hc.core5.http.nio.RequestChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response on one connection. It keeps only an excerpt of the response body,
 * and stops reading at the limit.
 *
 * <p>Called by the thread of the connection. Only the head of the response and the excerpt are read
 * by the thread that ends the call.
 */
final class HttpExchange implements AsyncClientExchangeHandler {
  private final HttpRequest request;
  private final ByteBuffer body;
  private final boolean hasBody;
  private final Excerpt excerpt;
  private final long readLimit;
  private final Listener listener;
  private boolean sent;
  private volatile @Nullable ResponseHead response;

  /** Receives the end of the exchange, once or more often. */
  interface Listener {
    /**
     * The response was read, completely or up to the limit.
     *
     * @param reusable whether both messages were complete, so that the connection can be reused
     */
    void onResponse(boolean reusable);

    void onFailure(Exception cause);
  }

  /** The parts of a response head that matter. */
  record ResponseHead(
      int status,
      @Nullable String contentEncoding,
      @Nullable String retryAfter,
      @Nullable String date) {
    static ResponseHead of(HttpResponse response) {
      return new ResponseHead(
          response.getCode(),
          value(response, "content-encoding"),
          value(response, "retry-after"),
          value(response, "date"));
    }

    private static @Nullable String value(HttpResponse response, String name) {
      Header header = response.getFirstHeader(name);
      return header == null ? null : header.getValue();
    }
  }

  HttpExchange(
      HttpRequest request,
      byte[] body,
      boolean hasBody,
      Excerpt excerpt,
      long readLimit,
      Listener listener) {
    this.request = request;
    this.body = ByteBuffer.wrap(body).asReadOnlyBuffer();
    this.hasBody = hasBody;
    this.excerpt = excerpt;
    this.readLimit = readLimit;
    this.listener = listener;
  }

  /** The head of the response; null if it has not arrived. */
  @Nullable ResponseHead response() {
    return response;
  }

  /** The beginning of the response body. */
  String text() {
    ResponseHead head = response;
    synchronized (excerpt) {
      return head == null ? "" : excerpt.text(head.contentEncoding());
    }
  }

  @Override
  public void produceRequest(RequestChannel channel, HttpContext context)
      throws HttpException, IOException {
    sent = !hasBody;
    EntityDetails details =
        hasBody ? new BasicEntityDetails(body.remaining(), /* contentType= */ null) : null;
    channel.sendRequest(request, details, context);
  }

  @Override
  public int available() {
    // an empty body must be ended, too
    return hasBody && !sent ? Math.max(1, body.remaining()) : 0;
  }

  @Override
  public void produce(DataStreamChannel channel) throws IOException {
    if (body.hasRemaining()) {
      channel.write(body);
    }
    if (!body.hasRemaining() && !sent) {
      sent = true;
      channel.endStream();
    }
  }

  @Override
  public void consumeInformation(HttpResponse response, HttpContext context) {
    // 1xx is not the final response
  }

  @Override
  public void consumeResponse(
      HttpResponse head, @Nullable EntityDetails details, HttpContext context) {
    response = ResponseHead.of(head);
    if (details == null) {
      listener.onResponse(sent);
    }
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    channel.update(Integer.MAX_VALUE);
  }

  @Override
  public void consume(ByteBuffer more) {
    boolean enough;
    synchronized (excerpt) {
      excerpt.add(more);
      enough = excerpt.seen() > readLimit;
    }
    if (enough) {
      listener.onResponse(/* reusable= */ false);
    }
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers) {
    listener.onResponse(sent);
  }

  @Override
  public void failed(Exception cause) {
    listener.onFailure(cause);
  }

  @Override
  public void cancel() {
    listener.onFailure(new IOException("cancelled"));
  }

  @Override
  public void releaseResources() {}
}
