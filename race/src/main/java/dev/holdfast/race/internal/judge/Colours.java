package dev.holdfast.race.internal.judge;

import dev.holdfast.race.internal.judge.Fact.Entity;
import dev.holdfast.race.internal.judge.Fact.Part;
import dev.holdfast.race.internal.judge.Fact.Plain;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Names entities by the facts about them, independent of their names in the run: colour refinement.
 *
 * <p>All entities of a kind begin with the same colour. In each round an entity gets a new one from
 * its old one and the facts that it takes part in, and where in them. The refinement ends when a
 * round distinguishes no more entities than the last. Facts that can be mapped onto each other get
 * the same texts; other facts get other texts, except in regular graphs of many equal links, which
 * rows rarely form.
 */
final class Colours {
  private static final int MAX_ROUNDS = 8;

  private final List<Fact> facts;
  private Map<String, String> colours = new HashMap<>();

  private Colours(List<Fact> facts) {
    this.facts = facts;
    for (Fact fact : facts) {
      for (Part part : fact.parts()) {
        if (part instanceof Entity entity) {
          colours.put(entity.key(), entity.kind());
        }
      }
    }
  }

  /** The facts as texts, in order. */
  static List<String> texts(List<Fact> facts) {
    Colours colours = new Colours(facts);
    colours.refine();
    List<String> texts = new ArrayList<>(facts.size());
    facts.forEach(fact -> texts.add(colours.textOf(fact)));
    Collections.sort(texts);
    return texts;
  }

  private void refine() {
    int distinct = distinct(colours.values());
    for (int round = 0; round < MAX_ROUNDS && !colours.isEmpty(); round++) {
      colours = nextRound();
      int now = distinct(colours.values());
      if (now == distinct && round > 0) {
        return;
      }
      distinct = now;
    }
  }

  private Map<String, String> nextRound() {
    Map<String, List<String>> places = new HashMap<>();
    for (Fact fact : facts) {
      if (fact.isPlain()) {
        continue;
      }
      String colour = digest(textOf(fact));
      for (int place = 0; place < fact.parts().size(); place++) {
        if (fact.parts().get(place) instanceof Entity entity) {
          places.computeIfAbsent(entity.key(), k -> new ArrayList<>()).add(colour + "@" + place);
        }
      }
    }
    Map<String, String> next = new HashMap<>();
    places.forEach(
        (key, said) -> {
          Collections.sort(said);
          next.put(key, digest(colours.get(key) + said));
        });
    return next;
  }

  /**
   * The same entity twice in a fact is not the same as two of one colour: so each colour is
   * followed by which entity of this fact it is.
   */
  private String textOf(Fact fact) {
    StringBuilder text = new StringBuilder();
    List<String> met = new ArrayList<>();
    for (Part part : fact.parts()) {
      if (part instanceof Plain plain) {
        text.append(plain.text());
      } else if (part instanceof Entity entity) {
        if (!met.contains(entity.key())) {
          met.add(entity.key());
        }
        text.append('‹').append(colours.get(entity.key()));
        text.append('.').append(met.indexOf(entity.key())).append('›');
      }
    }
    return text.toString();
  }

  private static int distinct(Collection<String> values) {
    return new HashSet<>(values).size();
  }

  private static String digest(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 10);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
