package dev.holdfast.web.event;

import dev.holdfast.web.api.Members;
import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads the parameters of a query like the members of a body. */
final class QueryMembers {
  private static final Pattern WHOLE = Pattern.compile("-?\\d{1,9}");
  private static final Pattern TIME = Pattern.compile("\\w+(From|To)");
  private static final Set<String> REPEATABLE = Set.of("status");
  private static final Set<String> NUMBERS = Set.of("limit");

  private QueryMembers() {}

  /** The parameters of a request; unknown ones are rejected. */
  static Members of(HttpServletRequest request, Set<String> known) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    String query = request.getQueryString();
    if (query != null) {
      for (String part : query.split("&", -1)) {
        add(all, part);
      }
    }
    return Members.of(all, UnaryOperator.identity()).only(known);
  }

  private static void add(ObjectNode all, String part) {
    if (part.isEmpty()) {
      return;
    }
    int equals = part.indexOf('=');
    String name = decoded(equals < 0 ? part : part.substring(0, equals));
    String value = equals < 0 ? "" : decoded(part.substring(equals + 1));
    if (TIME.matcher(name).matches()) {
      // a plus sign in the offset of a time that was not encoded
      value = value.replace(' ', '+');
    }
    if (REPEATABLE.contains(name)) {
      ArrayNode list = all.get(name) instanceof ArrayNode before ? before : all.putArray(name);
      List.of(value.split(",", -1)).forEach(list::add);
    } else if (all.has(name)) {
      throw ProblemType.INVALID_ARGUMENT
          .with("'" + name + "': must be given once")
          .with("member", name)
          .toException();
    } else if (NUMBERS.contains(name) && WHOLE.matcher(value).matches()) {
      all.put(name, Integer.parseInt(value));
    } else {
      all.put(name, value);
    }
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw ProblemType.INVALID_ARGUMENT.with("the query is not percent-encoded").toException();
    }
  }
}
