package dev.holdfast.event;

/**
 * Writes payloads as text and reads them again. Thread-safe.
 *
 * <p>By default JSON; see {@link EventType#of(String, Class)}.
 */
public interface PayloadCodec {
  /**
   * The payload as text.
   *
   * @throws RuntimeException where it cannot be written; the event is then refused
   */
  String write(Object payload);

  /**
   * The payload from its text.
   *
   * @throws RuntimeException where the text does not fit the type; the event is then parked
   */
  <P> P read(String text, Class<P> type);
}
