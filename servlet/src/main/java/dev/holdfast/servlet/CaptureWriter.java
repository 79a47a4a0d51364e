package dev.holdfast.servlet;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.Charset;

/** What the application prints to. */
final class CaptureWriter extends OutputStreamWriter {
  private final CapturedResponse response;

  CaptureWriter(CapturedResponse response, CaptureStream out, Charset charset) {
    super(out, charset);
    this.response = response;
  }

  @Override
  public void write(int c) throws IOException {
    super.write(c);
    response.printed();
  }

  @Override
  public void write(char[] characters, int start, int length) throws IOException {
    super.write(characters, start, length);
    response.printed();
  }

  @Override
  public void write(String text, int start, int length) throws IOException {
    super.write(text, start, length);
    response.printed();
  }
}
