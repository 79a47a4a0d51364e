package dev.holdfast.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.function.Supplier;

/** What the application writes to; always ready, because what is written is held in memory. */
final class CaptureStream extends ServletOutputStream {
  private final CapturedResponse response;
  private final Supplier<AsyncContext> async;
  private boolean listened;

  CaptureStream(CapturedResponse response, Supplier<AsyncContext> async) {
    this.response = response;
    this.async = async;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int start, int length) throws IOException {
    response.written(bytes, start, length);
  }

  @Override
  public void flush() {
    response.flushed();
  }

  @Override
  public void close() {
    response.closed();
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void setWriteListener(WriteListener listener) {
    if (listener == null) {
      throw new NullPointerException("listener");
    }
    if (listened) {
      throw new IllegalStateException("there is a WriteListener already");
    }
    AsyncContext context = async.get();
    listened = true;
    context.start(
        () -> {
          try {
            listener.onWritePossible();
          } catch (IOException | RuntimeException e) {
            listener.onError(e);
          }
        });
  }
}
