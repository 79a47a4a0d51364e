package dev.holdfast.race.internal.report;
import dev.holdfast.race.internal.model.Exploration;
public final class HtmlReport { private HtmlReport() {}
  public static String of(Exploration exploration) {
    StringBuilder s = new StringBuilder(exploration.name() + " " + exploration.database() + " " + exploration.isolation() + " runs " + exploration.runs() + " cut " + exploration.cut() + " exhausted " + exploration.exhausted() + " bound " + exploration.bound() + " ms " + exploration.millis() + "\n" + exploration.warnings() + exploration.notes() + "\n");
    var f = exploration.finding();
    if (f != null) { s.append(f.kind() + " " + f.broken() + " " + f.reproduced() + "/10 " + f.token() + " run " + f.foundInRun() + " after " + f.foundAfterMillis() + " levels " + f.levels() + "\n");
      for (var e : f.run().entries()) s.append("  " + e.number() + " " + f.actors().get(e.actor()) + " " + e.step().kind() + " " + e.step().text() + " " + e.step().params() + " -> " + e.result().learned() + " " + e.fate() + (e.waitedFor().isEmpty() ? "" : " waited " + e.waitedFor() + " resumed before " + e.resumedBefore()) + " " + e.step().source() + "\n");
      s.append("got " + f.got() + "\n"); f.expected().forEach(x -> s.append("exp " + x + "\n"));
    }
    return s.toString();
  }
}
