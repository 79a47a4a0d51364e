package dev.holdfast.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.codec.CodecFactories;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CodecFactoriesTest {
  /** Found by the service loader in one of the tests. */
  public static final class Loaded implements CodecFactory {
    @Override
    public <T> Codec<T> codec(Class<T> type) {
      throw new IllegalStateException("loaded");
    }
  }

  @TempDir private Path services;

  @Test
  void withoutAFactoryOtherTypesFailAndNameTheModule() {
    CodecFactory codecs = CodecFactories.of(null);

    assertThat(codecs.codec(String.class)).isSameAs(Codec.text());
    assertThat(codecs.codec(Long.class)).isSameAs(Codec.longs());
    assertThat(codecs.codec(byte[].class)).isSameAs(Codec.bytes());
    assertThat(codecs.codec(Void.class)).isNotNull();
    assertThatThrownBy(() -> codecs.codec(Path.class))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("java.nio.file.Path")
        .hasMessageContaining("holdfast-jackson");
  }

  @Test
  void theServiceLoaderFindsAFactory() throws Exception {
    Path file = services.resolve("META-INF/services/dev.holdfast.codec.CodecFactory");
    Files.createDirectories(file.getParent());
    Files.writeString(file, Loaded.class.getName());
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {services.toUri().toURL()}, before)) {
      thread.setContextClassLoader(loader);
      assertThatThrownBy(() -> CodecFactories.of(null).codec(Path.class)).hasMessage("loaded");
      assertThat(CodecFactories.of(null).codec(String.class)).isSameAs(Codec.text());
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Test
  void theFactoryThatIsSetIsUsed() {
    assertThatThrownBy(() -> CodecFactories.of(new Loaded()).codec(Path.class))
        .hasMessage("loaded");
  }
}
