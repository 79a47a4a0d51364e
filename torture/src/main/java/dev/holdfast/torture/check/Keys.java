package dev.holdfast.torture.check;

/** How keys of events say what they are. */
public final class Keys {
  /** Events that are scheduled together with a business row. */
  public static final String BUSINESS = "business-";

  private Keys() {}
}
