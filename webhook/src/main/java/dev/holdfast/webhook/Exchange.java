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
 * A request on its way out and its answer on its way in, on one connection. It keeps no more of the
 * answer than the excerpt, and stops reading at the limit.
 *
 * <p>Called by the one thread of the connection; only the head of the answer and the excerpt are
 * read by another, which cuts it off.
 */
final class Exchange implements AsyncClientExchangeHandler {
  private final HttpRequest request;
  private final ByteBuffer body;
  private final boolean hasBody;
  private final Excerpt excerpt;
  private final long readLimit;
  private final Listener listener;
  private boolean sent;
  private volatile @Nullable Answer answer;

  /** Whom the end of the exchange is told, once or more often. */
  interface Listener {
    /**
     * The answer is there, as much of it as counts.
     *
     * @param reusable whether both messages were complete, so that the connection is clean
     */
    void answered(boolean reusable);

    void failed(Exception cause);
  }

  Exchange(
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

  /** The head of the answer, once it has come. */
  @Nullable Answer answer() {
    return answer;
  }

  /** What the body of the answer begins with. */
  String text() {
    Answer head = answer;
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
    // an empty body, too, must be ended
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
    // 1xx is no answer
  }

  @Override
  public void consumeResponse(
      HttpResponse response, @Nullable EntityDetails details, HttpContext context) {
    answer = Answer.of(response);
    if (details == null) {
      listener.answered(sent);
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
      listener.answered(/* reusable= */ false);
    }
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers) {
    listener.answered(sent);
  }

  @Override
  public void failed(Exception cause) {
    listener.failed(cause);
  }

  @Override
  public void cancel() {
    listener.failed(new IOException("cancelled"));
  }

  @Override
  public void releaseResources() {}
}
