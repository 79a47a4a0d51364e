package dev.holdfast.web;

import static dev.holdfast.web.EventsApi.LATER;
import static dev.holdfast.web.EventsApi.TARGET;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.EventsApi.Answer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What is refused when events are taken in, and how it is told. */
class EventInputTest {
  private static Application application;
  private static EventsApi api;

  @BeforeAll
  static void start() {
    application =
        Application.start(
            "holdfast.worker.enabled=false",
            "holdfast.schedules.enabled=false",
            "holdfast.web.max-request-size=2MB");
    api = new EventsApi(application);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  private static Answer post(String body) {
    return api.post("/v1/events", body.replace('\'', '"'));
  }

  @Test
  void rejectsUndeliverableInputByField() {
    String url = "'url':'https://example.org/'";
    for (String[] wrong :
        new String[][] {
          {"{}", "target"},
          {"{'target':null}", "target"},
          {"{'target':7}", "target"},
          {"{'target':{}}", "target.url"},
          {"{'target':{'url':7}}", "target.url"},
          {"{'target':{'url':'ftp://example.org/'}}", "target.url"},
          {"{'target':{'url':'/a'}}", "target.url"},
          {"{'target':{'url':'https://u:p@example.org/'}}", "target.url"},
          {"{'target':{'url':'https://example.org/#a'}}", "target.url"},
          {"{'target':{'url':'https://2130706433/'}}", "target.url"},
          {"{'target':{'url':'https://example.org/\\ud800'}}", "target.url"},
          {"{'target':{'url':'https://example.org/\\u0000'}}", "target.url"},
          {"{'target':{'url':'https://example.org:22/'}}", "target"},
          {"{'target':{" + url + ",'method':'TRACE'}}", "target.method"},
          {"{'target':{" + url + ",'headers':{'X':'a\\r\\nY: b'}}}", "target.headers"},
          {"{'target':{" + url + ",'headers':{'X\\r\\nY':'b'}}}", "target.headers"},
          {"{'target':{" + url + ",'headers':{'Host':'b'}}}", "target.headers"},
          {"{'target':{" + url + ",'headers':{'X':7}}}", "target.headers.X"},
          {"{'target':{" + url + ",'headers':[]}}", "target.headers"},
          {"{'target':{" + url + ",'contentType':'a\\nb'}}", "target.contentType"},
          {"{'target':{" + url + ",'body':1,'text':'a'}}", "target.body"},
          {"{'target':{" + url + ",'body':'\\udc00'}}", "target.body"},
          {"{'target':{" + url + ",'text':'\\udc00'}}", "target.text"},
          {"{'target':{" + url + ",'text':7}}", "target.text"},
          {"{'target':{" + url + ",'base64':'?'}}", "target.base64"},
          {"{'target':{" + url + ",'text':'" + "x".repeat(300_000) + "'}}", "target"},
          {
            "{'target':{" + url + ",'body':" + "[".repeat(150) + "]".repeat(150) + "}}",
            "target.body"
          },
          {"{'target':{" + url + "},'at':'tomorrow'}", "at"},
          {"{'target':{" + url + "},'at':'2040-01-01T00:00:00'}", "at"},
          {"{'target':{" + url + "},'at':'+10000-01-01T00:00:00Z'}", "at"},
          {"{'target':{" + url + "},'at':7}", "at"},
          {"{'target':{" + url + "},'at':'2040-01-01T00:00:00Z','delay':'1m'}", "delay"},
          {"{'target':{" + url + "},'delay':'-1m'}", "delay"},
          {"{'target':{" + url + "},'delay':'PT-1M'}", "delay"},
          {"{'target':{" + url + "},'delay':'999999999d'}", "delay"},
          {"{'target':{" + url + "},'delay':'1 week'}", "delay"},
          {
            "{'target':{"
                + url
                + "},'at':'2040-01-02T00:00:00Z','deadline':'2040-01-01T00:00:00Z'}",
            "deadline"
          },
          {"{'target':{" + url + "},'timeout':'0s'}", "timeout"},
          {"{'target':{" + url + "},'timeout':'2h'}", "timeout"},
          {"{'target':{" + url + "},'timeout':'2m'}", "target"},
          {"{'target':{" + url + "},'retry':{'maxAttempts':0}}", "retry.maxAttempts"},
          {"{'target':{" + url + "},'retry':{'maxAttempts':1.5}}", "retry.maxAttempts"},
          {"{'target':{" + url + "},'retry':{'multiplier':1e400}}", "retry.multiplier"},
          {
            "{'target':{" + url + "},'retry':{'initialDelay':'2h','maxDelay':'1h'}}",
            "retry.maxDelay"
          },
          {"{'target':{" + url + "},'retry':{'colour':1}}", "retry.colour"},
          {"{'target':{" + url + "},'queue':'a b'}", "queue"},
          {"{'target':{" + url + "},'priority':10}", "priority"},
          {"{'target':{" + url + "},'priority':'5'}", "priority"},
          {"{'target':{" + url + "},'priority':99999999999}", "priority"},
          {"{'target':{" + url + "},'orderingKey':' '}", "orderingKey"},
          {"{'target':{" + url + "},'tags':'a'}", "tags"},
          {"{'target':{" + url + "},'tags':['a b']}", "tags"},
          {"{'target':{" + url + "},'tags':[null]}", "tags[0]"},
          {"{'target':{" + url + "},'key':'a'}", "key"}
        }) {
      Answer answer = post(wrong[0]).problem(400, "invalid-argument", wrong[1]);
      assertThat(answer.text("detail"))
          .startsWith("'" + wrong[1] + "': ")
          .doesNotContain("jackson");
    }
    for (String body :
        new String[] {"[]", "7", "null", "", "{", "{'\\ud800':'a'}", "{'a':".repeat(600)}) {
      post(body).problem(400, "malformed-body");
    }
    api.send("POST", application.request("/v1/events").header("Content-Type", "text/plain"), TARGET)
        .problem(415, "unsupported-media-type");
  }

  @Test
  void theWordsSayWhatMustHold() {
    assertThat(post("{'target':{'url':'ftp://example.org/'}}").text("detail"))
        .isEqualTo("'target.url': the scheme must be http or https, was 'ftp'");
    assertThat(
            post("{'target':{'url':'https://example.org/'},'at':'+10000-01-01T00:00:00Z'}")
                .text("detail"))
        .contains("must be from 1970-01-02T00:00:00Z to 9999-12-30T00:00:00Z");
    assertThat(
            post("{'target':{'url':'https://example.org/'},'at':'2040-01-01T00:00:00'}")
                .text("detail"))
        .contains("with its offset");
  }

  @Test
  void aTimeThatIsPastIsDueAtOnce() {
    post("{'target':{'url':'https://example.org/'},'at':'2001-01-01T00:00:00+14:00'}").is(201);
    for (String impossible : new String[] {"1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z"}) {
      post("{'target':{'url':'https://example.org/'},'at':'" + impossible + "'}")
          .problem(400, "invalid-argument", "at");
    }
  }

  @Test
  void bodiesComeBackAsTheyWere() {
    String url = "'url':'https://example.org/'";
    for (String body :
        new String[] {
          "'body':{'a':[1,2.50,'x']}",
          "'body':'text'",
          "'body':false",
          "'text':'h\u00e9llo \\u0000'",
          "'base64':'/wD/'",
          "'text':'{',\'contentType\':'application/json'"
        }) {
      String sent = body.replace('\'', '"');
      Answer made = post("{'target':{" + url + "," + body + "},'delay':'1d'}").is(201);
      assertThat(made.http().body()).contains(sent.split(",\"contentType\"", 2)[0]);
    }
  }

  @Test
  void aRequestIsPassedOn() {
    Answer made =
        api.send(
                "POST",
                application
                    .request("/v1/publish/https://example.org/a//b?page=1&sort=%20z")
                    .header("Content-Type", "text/csv"),
                "a,b",
                "Holdfast-Method",
                "PUT",
                "Holdfast-Delay",
                "1d",
                "Holdfast-Key",
                "published",
                "Holdfast-Queue",
                "q",
                "Holdfast-Priority",
                "9",
                "Holdfast-Max-Retries",
                "0",
                "Holdfast-Timeout",
                "5s",
                "Holdfast-Deadline",
                "2041-01-01T00:00:00Z",
                "Holdfast-Ordering-Key",
                "o",
                "Holdfast-Tags",
                "a, b",
                "Holdfast-Forward-X-Api-Key",
                "secretsecret",
                "Holdfast-Forward-X-A",
                "b")
            .is(201);
    assertThat(made.body().at("/target").toString())
        .isEqualTo(
            "{\"url\":\"https://example.org/a//b?page=1&sort=%20z\",\"method\":\"PUT\",\"headers\":"
                + made.body().at("/target/headers")
                + ",\"contentType\":\"text/csv\",\"text\":\"a,b\",\"redacted\":[\"headers.X-A\",\"headers.X-Api-Key\"]}");
    assertThat(made.http().body()).contains("[redacted]").doesNotContain("secretsecret");
    assertThat(made.text("key")).isEqualTo("published");
    assertThat(made.body().at("/retry/maxAttempts").intValue()).isEqualTo(1);
    assertThat(made.body().get("tags").toString()).isEqualTo("[\"a\",\"b\"]");
  }

  @Test
  void rejectsMistypedHeader() {
    api.post("/v1/publish/https://example.org", null, "Holdfast-After", "1h")
        .problem(400, "invalid-argument", "Holdfast-After");
  }

  @Test
  void theUrlOfWhatIsPassedOnMayBeEncoded() {
    for (String[] url :
        new String[][] {
          {"https%3A%2F%2Fexample.org%2Fa%3Fv=c", "https://example.org/a?v=c"},
          {"https%3A%2F%2Fexample.org%2Fa%2F..%2Fb", "https://example.org/a/../b"},
          {"https:/example.org/a", "https://example.org/a"},
          {"https://example.org", "https://example.org"},
          {"https://example.org/a%2Fb", "https://example.org/a%2Fb"},
          {"https%3A%2F%2Fexample.org%2Fa?v=c", "https://example.org/a?v=c"}
        }) {
      Answer made = api.post("/v1/publish/" + url[0], null, "Holdfast-Delay", "1d").is(201);
      assertThat(made.body().at("/target/url").stringValue()).isEqualTo(url[1]);
    }
    for (String[] wrong :
        new String[][] {
          {"", "url"},
          {"ftp://example.org", "url"},
          {"https://example.org/a/../b", "url"},
          {"https://example.org/%2e%2e/b", "url"}
        }) {
      api.post("/v1/publish/" + wrong[0], null).problem(400, "invalid-argument", wrong[1]);
    }
    String path = "/v1/publish/https://example.org/";
    for (String[] wrong :
        new String[][] {
          {"Holdfast-Delay", "soon"},
          {"Holdfast-At", "soon"},
          {"Holdfast-Priority", "high"},
          {"Holdfast-Priority", "10"},
          {"Holdfast-Max-Retries", "-1"},
          {"Holdfast-Timeout", "1y"},
          {"Holdfast-Key", "1-0"},
          {"Holdfast-Method", "TRACE"},
          {"Holdfast-Tags", "a b"},
          {"Holdfast-Queue", "a b"}
        }) {
      api.post(path, null, wrong).problem(400, "invalid-argument", wrong[0]);
    }
    api.post(path, null, "Holdfast-Forward-Host", "x")
        .problem(400, "invalid-argument", "Holdfast-Forward-…");
    api.post(path, "{}", "Holdfast-Key", "twice", "Holdfast-Delay", "1d").is(201);
    api.post(path, "{}", "Holdfast-Key", "twice", "Holdfast-Delay", "1d").is(200);
    api.post(path, "[]", "Holdfast-Key", "twice", "Holdfast-Delay", "1d").problem(409, "conflict");
  }

  @Test
  void aFormAndPartsArePassedOnAsTheyAre() {
    for (String type :
        new String[] {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x"}) {
      Answer made =
          api.send(
                  "POST",
                  application
                      .request("/v1/publish/https://example.org/")
                      .header("Content-Type", type),
                  "--x\r\na=b")
              .is(201);
      assertThat(made.body().at("/target/text").stringValue()).isEqualTo("--x\r\na=b");
      assertThat(made.body().at("/target/contentType").stringValue()).isEqualTo(type);
    }
  }

  @Test
  void aBatchIsStoredAllOrNone() {
    String item = LATER.substring(0, LATER.length() - 1);
    String good = item + ",\"key\":\"%s\"}";
    String both = good.formatted("b1") + "," + good.formatted("b2");
    Answer stored = api.post("/v1/events:batch", "{\"items\":[" + both + "]}").is(200);
    assertThat(stored.body().at("/items/0/status").intValue()).isEqualTo(201);
    assertThat(api.get("/v1/events/b2").is(200).text("id"))
        .isEqualTo(stored.body().at("/items/1/id").stringValue());
    Answer again = api.post("/v1/events:batch", "{\"items\":[" + both + "]}").is(200);
    assertThat(again.body().at("/items/0/status").intValue()).isEqualTo(200);

    String other = good.formatted("b3") + "," + good.formatted("b1").replace("/a", "/b");
    Answer conflict =
        api.post("/v1/events:batch", "{\"items\":[" + other + "]}").problem(409, "conflict");
    assertThat(conflict.body().get("index").intValue()).isEqualTo(1);
    api.get("/v1/events/b3").problem(404, "not-found");
    String bad = good.formatted("b3") + ",{\"target\":{}},7";
    Answer refused =
        api.post("/v1/events:batch", "{\"items\":[" + bad + "]}")
            .problem(400, "invalid-argument", "items[1].target.url");
    assertThat(refused.body().get("index").intValue()).isEqualTo(1);
    api.get("/v1/events/b3").problem(404, "not-found");

    String all = bad + "," + good.formatted("b1").replace("/a", "/b") + "," + good.formatted("b1");
    Answer each =
        api.post("/v1/events:batch", "{\"mode\":\"each\",\"items\":[" + all + "]}").is(200);
    assertThat(each.body().get("items").valueStream().map(one -> one.get("status").intValue()))
        .containsExactly(201, 400, 400, 409, 200);
    assertThat(each.body().at("/items/2/problem/member").stringValue()).isEqualTo("items[2]");
    api.get("/v1/events/b3").is(200);
    for (String wrong :
        new String[] {"{}", "{\"items\":7}", "{\"items\":[" + "7,".repeat(10_000) + "7]}"}) {
      api.post("/v1/events:batch", wrong).problem(400, "invalid-argument", "items");
    }
    api.post("/v1/events:batch", "{\"mode\":\"some\",\"items\":[]}")
        .problem(400, "invalid-argument", "mode");
    assertThat(api.post("/v1/events:batch", "{\"items\":[]}").is(200).body().get("items").size())
        .isZero();
  }

  @Test
  void batchKeepsOrderOfOrderingKey() {
    List<String> items = new ArrayList<>();
    for (String key : List.of("z", "m", "", "a")) {
      String named = key.isEmpty() ? "" : "\"key\":\"order-" + key + "\",";
      items.add("{" + named + "\"orderingKey\":\"order\"," + LATER.substring(1));
    }
    JsonNode stored =
        api.post("/v1/events:batch", "{\"items\":[" + String.join(",", items) + "]}")
            .is(200)
            .body()
            .get("items");
    List<Long> ids = new ArrayList<>();
    stored.forEach(
        item -> ids.add(Long.valueOf(item.get("id").stringValue().replaceFirst("-.*", ""))));
    assertThat(ids).hasSize(4).isSorted();
  }

  @Test
  void aBodyOfVeryManySmallPartsIsRefused() {
    api.post("/v1/events:batch", "{\"items\":[" + "0,".repeat(1_020_000) + "0]}")
        .problem(400, "malformed-body");
  }
}
