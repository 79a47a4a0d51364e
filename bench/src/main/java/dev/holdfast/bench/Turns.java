package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What two ways of doing the same reached in turns, so that whatever else the machine does hits
 * both: the median of each; and the median, the lowest and the highest of the rounds' ratios.
 */
public record Turns(double first, double second, double ratio, double lowest, double highest) {
  /** One turn of one side; answers events per second. */
  @FunctionalInterface
  public interface Turn {
    double perSecond() throws Exception;
  }

  /** Which of them begins changes with every round; the warm-up rounds do not count. */
  public static Turns of(int warmUp, int rounds, Turn first, Turn second) throws Exception {
    List<Double> ofFirst = new ArrayList<>();
    List<Double> ofSecond = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < warmUp + rounds; round++) {
      double begins = (round % 2 == 0 ? first : second).perSecond();
      double follows = (round % 2 == 0 ? second : first).perSecond();
      double one = round % 2 == 0 ? begins : follows;
      double other = round % 2 == 0 ? follows : begins;
      if (round >= warmUp) {
        ofFirst.add(one);
        ofSecond.add(other);
        ratios.add(one / other);
      }
    }
    return of(ofFirst, ofSecond, ratios);
  }

  static Turns of(List<Double> ofFirst, List<Double> ofSecond, List<Double> ratios) {
    return new Turns(
        median(ofFirst),
        median(ofSecond),
        median(ratios),
        Collections.min(ratios),
        Collections.max(ratios));
  }

  public static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
