package dev.holdfast.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class RedisIT {

  @Test
  void theServerAnswers() throws IOException {
    assertThat(answer("PING")).isEqualTo("+PONG");
  }

  @Test
  void itIsStartedOnce() {
    assertThat(TestRedis.uri()).isEqualTo(TestRedis.uri()).hasScheme("redis");
  }

  private static String answer(String command) throws IOException {
    try (Socket socket = new Socket(TestRedis.uri().getHost(), TestRedis.uri().getPort())) {
      socket.getOutputStream().write((command + "\r\n").getBytes(US_ASCII));
      return new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII))
          .readLine();
    }
  }
}
