package dev.holdfast.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.function.Supplier;

/** A body that has been read into memory; always ready. */
final class BodyStream extends ServletInputStream {
  private final ByteArrayInputStream bytes;
  private final Supplier<AsyncContext> async;
  private boolean listened;

  BodyStream(byte[] body, Supplier<AsyncContext> async) {
    this.bytes = new ByteArrayInputStream(body);
    this.async = async;
  }

  @Override
  public int read() {
    return bytes.read();
  }

  @Override
  public int read(byte[] into, int start, int length) {
    return bytes.read(into, start, length);
  }

  @Override
  public int available() {
    return bytes.available();
  }

  @Override
  public boolean isFinished() {
    return bytes.available() == 0;
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void setReadListener(ReadListener listener) {
    if (listener == null) {
      throw new NullPointerException("listener");
    }
    if (listened) {
      throw new IllegalStateException("there is a ReadListener already");
    }
    AsyncContext context = async.get();
    listened = true;
    context.start(() -> tell(listener));
  }

  private void tell(ReadListener listener) {
    try {
      int left = -1;
      // one that reads nothing of what is there would be told for ever
      while (!isFinished() && left != bytes.available()) {
        left = bytes.available();
        listener.onDataAvailable();
      }
      if (isFinished()) {
        listener.onAllDataRead();
      }
    } catch (IOException | RuntimeException e) {
      listener.onError(e);
    }
  }
}
