package dev.holdfast.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response, held in memory up to a limit. What is larger is either passed on to the
 * client, or, where nothing may be sent before a commit, dropped. Once it is passed on, a client
 * that has gone does not stop the application: its work goes on, and is recorded.
 *
 * <p>For one thread at a time.
 */
final class Capture {
  private enum State {
    /** Nothing has been sent. */
    HELD,
    /** All is sent as it comes, and held too, up to the limit. */
    SHARED,
    /** It was too large: all is sent as it comes, and not held. */
    PASSED_ON,
    /** It was too large or the client has gone: nothing is sent, and it is not held. */
    DROPPED
  }

  private final HttpServletResponse real;
  private final int largest;
  private final boolean mayPassOn;

  private State state = State.HELD;
  private ByteArrayOutputStream held = new ByteArrayOutputStream(0);
  private boolean tooLarge;
  private long size;
  private long declared = -1;
  private @Nullable IOException gone;

  Capture(HttpServletResponse real, int largest, boolean mayPassOn) {
    this.real = real;
    this.largest = largest;
    this.mayPassOn = mayPassOn;
  }

  void write(byte[] bytes, int start, int length) throws IOException {
    size += length;
    if (!tooLarge && size > largest) {
      overflow();
    }
    if (!tooLarge) {
      held.write(bytes, start, length);
    }
    if (state == State.SHARED || state == State.PASSED_ON) {
      send(bytes, start, length);
    }
  }

  private void overflow() throws IOException {
    tooLarge = true;
    if (state == State.HELD) {
      state = mayPassOn ? State.PASSED_ON : State.DROPPED;
      if (mayPassOn) {
        sendHeld();
      }
    }
    held = new ByteArrayOutputStream(0);
  }

  private void sendHeld() {
    if (declared >= 0) {
      real.setContentLengthLong(declared);
    }
    byte[] bytes = held.toByteArray();
    send(bytes, 0, bytes.length);
  }

  private void send(byte[] bytes, int start, int length) {
    try {
      real.getOutputStream().write(bytes, start, length);
    } catch (IOException e) {
      gone = e;
      state = State.DROPPED;
    }
  }

  /** From now on all is sent as it comes, because nobody may be there to send it at the end. */
  void share() {
    if (state == State.HELD) {
      state = State.SHARED;
      sendHeld();
    }
  }

  void flush() {
    if (state == State.SHARED || state == State.PASSED_ON) {
      try {
        real.flushBuffer();
      } catch (IOException e) {
        gone = e;
        state = State.DROPPED;
      }
    }
  }

  /** How long the application says that the body is; negative where it does not. */
  void declare(long length) {
    declared = length;
    if (state == State.SHARED) {
      real.setContentLengthLong(length);
    }
  }

  /** Forgets all that was written, also what made it too large. */
  void clear() {
    if (state == State.SHARED || state == State.PASSED_ON) {
      real.resetBuffer();
    }
    if (tooLarge && state != State.SHARED && gone == null) {
      state = State.HELD;
    }
    tooLarge = false;
    held.reset();
    size = 0;
  }

  /** Whether something was sent already, or is about to be without the end of it. */
  boolean isSent() {
    return state == State.SHARED || state == State.PASSED_ON || gone != null;
  }

  boolean isTooLarge() {
    return tooLarge;
  }

  long size() {
    return size;
  }

  byte[] bytes() {
    return held.toByteArray();
  }

  /** Sends what is held. */
  void deliver() throws IOException {
    held.writeTo(real.getOutputStream());
  }

  /** Tells whether the client has gone while the body was passed on to it. */
  void ensureNotGone() throws IOException {
    if (gone != null) {
      throw gone;
    }
  }
}
