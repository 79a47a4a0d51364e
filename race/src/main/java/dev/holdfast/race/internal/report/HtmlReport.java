package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.report.Difference.Aspect;
import java.util.List;
import java.util.Locale;

/**
 * Renders an exploration as one HTML file that needs nothing else: no scripts, no fonts, no net.
 */
public final class HtmlReport {
  private static final String MARK =
      """
      <svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="4"/>\
      <path d="M5 3.5v9M11 3.5v9M5 8h6"/></svg>\
      """;

  private final Exploration exploration;
  private final Html html = new Html();

  private HtmlReport(Exploration exploration) {
    this.exploration = exploration;
  }

  public static String of(Exploration exploration) {
    HtmlReport report = new HtmlReport(exploration);
    Finding finding = exploration.finding();
    report.begin();
    if (finding == null) {
      report.addNothing();
    } else {
      report.addFinding(Anomaly.of(exploration, finding), finding);
    }
    report.addRemarks();
    report.html.raw("</main></body></html>\n");
    return report.html.toString();
  }

  private void begin() {
    html.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\"><title>");
    html.text(title()).raw("</title>\n<style>\n").raw(Html.style()).raw("</style></head>\n<body>");
    html.raw("<main><header class=\"top\">").raw(MARK).raw("<span>Holdfast race finder</span>");
    html.element("span", "muted", exploration.name());
    html.element("span", "tag", exploration.database());
    html.element("span", "tag", exploration.isolation()).raw("</header>\n");
  }

  private String title() {
    String name = Anomaly.nameOf(exploration);
    return (name.isEmpty() ? Coverage.nothing(exploration) : name) + ": " + exploration.name();
  }

  private void addNothing() {
    html.raw("<section class=\"verdict good\">");
    html.element("p", "badge", Coverage.nothing(exploration).toUpperCase(Locale.ROOT));
    html.raw("<h1>");
    html.text(exploration.crashTest() ? "No crash of " : "No interleaving of ");
    html.text(Words.and(exploration.actors()) + " that was explored gives a wrong result.")
        .raw("</h1>");
    html.element("p", "why", Coverage.of(exploration) + ".").raw("</section>\n");
  }

  private void addFinding(Anomaly anomaly, Finding finding) {
    html.raw("<section class=\"verdict bad\">").element("p", "badge", anomaly.title());
    html.element("h1", "", CauseText.headline(anomaly)).element("p", "why", CauseText.of(anomaly));
    html.raw("</section>\n<section class=\"panel\"><h2>What happened</h2>");
    html.raw("<p class=\"legend\">From top to bottom. The bar beside the statements is a ");
    html.raw("transaction, from its first statement to its commit. Steps that decide are ");
    html.raw("<mark>marked</mark>.</p>");
    Places places = new Places(finding.run().entries());
    new HtmlTimeline(finding.actors(), places, html).draw(Timeline.of(anomaly));
    html.raw("</section>\n");
    addDifference(Difference.of(finding));
    addFixes(anomaly);
    html.raw("<section class=\"panel\"><h2>Run it again</h2>");
    html.raw("<p>Use this annotation to repeat exactly this run after the serial orders:</p>");
    html.element("pre", "", Coverage.replay(exploration, finding));
    html.raw("<dl>").raw("<dt>reproduced</dt>").element("dd", "", Coverage.proof(finding));
    html.raw("<dt>explored</dt>")
        .element("dd", "", Coverage.of(exploration))
        .raw("</dl></section>\n");
  }

  private void addDifference(Difference difference) {
    if (difference.aspects().isEmpty()) {
      if (!difference.hidden().isEmpty()) {
        html.raw("<section class=\"panel\"><h2>Expected and actual</h2>");
        html.element("p", "", Words.capital(difference.hidden()) + ".").raw("</section>\n");
      }
      return;
    }
    boolean compared = !difference.orders().isEmpty();
    html.raw("<section class=\"panel\"><h2>");
    html.raw(compared ? "Expected and actual" : "Final state");
    html.raw("</h2><div class=\"scroll\"><table class=\"facts\"><thead><tr><th></th>");
    for (String order : difference.orders()) {
      html.raw("<th><small>expected</small> ").text(order).raw("</th>");
    }
    html.raw(compared ? "<th>actual</th>" : "<th></th>").raw("</tr></thead><tbody>");
    for (Aspect aspect : difference.aspects()) {
      html.raw("<tr>").element("th", "", aspect.what());
      aspect.expected().forEach(expected -> html.element("td", "", expected));
      boolean wrong = compared && aspect.expected().stream().noneMatch(aspect.got()::equals);
      html.element("td", wrong ? "got wrong" : "got", aspect.got()).raw("</tr>");
    }
    html.raw("</tbody></table></div>");
    if (difference.left() > 0) {
      html.element("p", "muted", "and " + difference.left() + " more serial orders");
    }
    html.raw("</section>\n");
  }

  private void addFixes(Anomaly anomaly) {
    html.raw("<section class=\"panel\"><h2>How to fix it</h2><ol class=\"fixes\">");
    for (Fix fix : Fixes.of(anomaly)) {
      html.raw("<li>").element("p", "", fix.what()).element("pre", "", fix.code());
      if (!fix.guard().isEmpty()) {
        html.raw("<p class=\"guard\"><span>Holdfast</span> ").element("code", "", fix.guard());
        html.raw("</p>");
      }
      html.raw("</li>");
    }
    html.raw("</ol>");
    List<String> levels = Levels.of(anomaly);
    if (!levels.isEmpty()) {
      html.raw("<h3>Would another isolation level prevent this?</h3><ul class=\"levels\">");
      levels.forEach(level -> html.element("li", "", level));
      html.raw("</ul>");
    }
    html.raw("</section>\n");
  }

  private void addRemarks() {
    if (exploration.warnings().isEmpty() && exploration.notes().isEmpty()) {
      return;
    }
    html.raw("<section class=\"panel\"><h2>Remarks</h2><ul class=\"remarks\">");
    exploration.warnings().forEach(warning -> html.element("li", "warning", warning));
    exploration.notes().forEach(note -> html.element("li", "", note));
    html.raw("</ul></section>\n");
  }
}
