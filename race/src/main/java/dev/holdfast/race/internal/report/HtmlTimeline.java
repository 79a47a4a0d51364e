package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.report.Line.Bar;
import dev.holdfast.race.internal.report.Line.Kind;
import java.util.List;
import java.util.Locale;

/** Draws a timeline as HTML: a grid with one column per actor, a bar along each transaction. */
final class HtmlTimeline {
  private static final int MAX_STATEMENT = 420;
  private static final int MAX_WHOLE_LENGTH = 20_000;

  /** So many colours there are. */
  private static final int COLOURS = 6;

  private final List<String> actors;
  private final Places places;
  private final Html html;

  HtmlTimeline(List<String> actors, Places places, Html html) {
    this.actors = actors;
    this.places = places;
    this.html = html;
  }

  void draw(List<Line> lines) {
    html.raw("<div class=\"timeline\" role=\"table\" style=\"--actors:" + actors.size() + "\">");
    html.raw("<div class=\"head\" role=\"row\"><span class=\"num\" role=\"columnheader\">#</span>");
    for (int actor = 0; actor < actors.size(); actor++) {
      html.raw("<span class=\"who " + colour(actor) + "\" role=\"columnheader\">");
      html.text(actors.get(actor)).raw("</span>");
    }
    html.raw("</div>\n");
    lines.forEach(this::draw);
    html.raw("</div>\n");
  }

  private void draw(Line line) {
    String kind = line.kind().name().toLowerCase(Locale.ROOT);
    String decisive = line.isDecisive() ? " decisive" : "";
    html.raw("<div class=\"row is-" + kind + decisive + "\" role=\"row\">");
    html.raw("<span class=\"num\" role=\"cell\">");
    html.text(line.kind() == Kind.RESUMED ? "↳ " + line.number() : line.number()).raw("</span>");
    for (int actor = 0; actor < actors.size(); actor++) {
      boolean own = actor == line.actor();
      Bar bar = line.bars().get(actor);
      html.raw("<div role=\"cell\" class=\"cell " + colour(actor) + (own ? " own" : " other"));
      html.raw(" bar-" + bar.name().toLowerCase(Locale.ROOT) + "\">");
      if (own) {
        html.raw("<div class=\"deed\">");
        html.element("span", "name", actors.get(actor));
        drawOwn(line);
        html.raw("</div>");
      }
      html.raw("</div>");
    }
    html.raw("</div>\n");
  }

  private static String colour(int actor) {
    return "actor-" + actor % COLOURS;
  }

  private void drawOwn(Line line) {
    switch (line.kind()) {
      case RESUMED -> html.raw("<span class=\"go\">resumed</span>");
      case COMMIT -> html.element("span", "commit", line.text());
      case ROLLBACK -> html.element("span", "rollback", line.text());
      case POINT -> html.element("span", "point", "• " + line.text());
      case EFFECT -> html.element("span", "effect", "★ " + line.text());
      case SECOND_LIFE -> html.element("span", "again", "↻ " + line.text());
      case GAP -> html.element("span", "muted", line.text());
      case STATEMENT, AUTOCOMMIT -> drawStatement(line.text());
    }
    html.raw(" ").element("span", "result", line.result().isEmpty() ? "" : "→ " + line.result());
    if (line.kind() == Kind.AUTOCOMMIT) {
      html.raw("<span class=\"commit\">(autocommit)</span>");
    }
    html.element("div", "waiting", line.waiting());
    html.element("div", "trouble", line.trouble().isEmpty() ? "" : "✗ " + line.trouble());
    String source = places.of(line.entry());
    boolean coded = line.isSql() || line.kind() == Kind.POINT || line.kind() == Kind.EFFECT;
    if (coded && source != null) {
      html.element("div", "source", source);
    }
    html.element("div", "note", line.note());
  }

  private void drawStatement(String sql) {
    if (sql.length() <= MAX_STATEMENT) {
      html.element("code", "", sql);
      return;
    }
    html.raw("<details><summary>");
    html.element("code", "", Words.shortened(sql, MAX_STATEMENT)).raw("</summary>");
    html.element("code", "whole", Words.shortened(sql, MAX_WHOLE_LENGTH)).raw("</details>");
  }
}
