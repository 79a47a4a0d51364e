package dev.holdfast.internal.codec;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.codec.Codec;
import dev.holdfast.codec.CodecFactory;
import java.util.Iterator;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Finds the codecs of classes: the standard ones first, then those of a factory. */
public final class CodecFactories {
  private CodecFactories() {}

  /** The factory that is set, or else the one that {@link ServiceLoader} finds, if any. */
  public static CodecFactory of(@Nullable CodecFactory set) {
    return new Standard(set == null ? load() : set);
  }

  private static @Nullable CodecFactory load() {
    CodecFactory found = first(Thread.currentThread().getContextClassLoader());
    return found == null ? first(CodecFactories.class.getClassLoader()) : found;
  }

  private static @Nullable CodecFactory first(@Nullable ClassLoader loader) {
    Iterator<CodecFactory> all = ServiceLoader.load(CodecFactory.class, loader).iterator();
    return all.hasNext() ? all.next() : null;
  }

  private record Standard(@Nullable CodecFactory others) implements CodecFactory {
    @Override
    @SuppressWarnings("unchecked") // the codec has the type that was asked for
    public <T> Codec<T> codec(Class<T> type) {
      if (type == String.class) {
        return (Codec<T>) Codec.text();
      }
      if (type == byte[].class) {
        return (Codec<T>) Codec.bytes();
      }
      if (type == Long.class) {
        return (Codec<T>) Codec.longs();
      }
      if (type == Void.class) {
        return (Codec<T>) Codec.none();
      }
      if (others == null) {
        throw new InvalidArgumentException(
            "no codec for "
                + type.getName()
                + ": add holdfast-jackson, which stores it as JSON, or set"
                + " Holdfast.builder(dataSource).codec(factory), or pass a Codec for this type");
      }
      return others.codec(type);
    }
  }
}
