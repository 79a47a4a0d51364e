package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.cache.CacheStore;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.cache.json.JsonValues;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The snippets of the guide to the shared cache, run. */
class CacheGuideIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final DataSource dataSource = schema.dataSource(8);
  private final Holdfast holdfast = Holdfast.create(dataSource);
  private final Catalog catalog = new Catalog();

  record PriceList(long shop, long price) {}

  private final class Catalog {
    PriceList prices(long shop) throws SQLException {
      try (Connection connection = dataSource.getConnection();
          PreparedStatement select =
              connection.prepareStatement("select price from prices where shop = ?")) {
        select.setLong(1, shop);
        try (ResultSet row = select.executeQuery()) {
          row.next();
          return new PriceList(shop, row.getLong(1));
        }
      }
    }

    void raise(Connection connection, long shop, long by) throws SQLException {
      try (PreparedStatement update =
          connection.prepareStatement("update prices set price = price + ? where shop = ?")) {
        update.setLong(1, by);
        update.setLong(2, shop);
        update.executeUpdate();
      }
    }
  }

  @BeforeEach
  void migrate() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute(
        "create table prices (shop bigint primary key, price bigint)",
        "insert into prices values (1, 100)");
  }

  @AfterEach
  void dropSchema() {
    schema.close();
  }

  @Test
  void whatChangesIsInvalidated() throws Exception {
    long shop = 1;
    SharedCache<Long, PriceList> prices =
        SharedCache.<Long, PriceList>named("prices")
            .values(JsonValues.of(PriceList.class))
            .freshFor(Duration.ofMinutes(5))
            .on(holdfast.leases(), CacheStore.using(dataSource));

    PriceList list = prices.get(shop, id -> catalog.prices(id));

    assertThat(list).isEqualTo(new PriceList(1, 100));

    holdfast.transactions().run(tx -> catalog.raise(tx.connection(), shop, 10));
    prices.invalidate(shop);

    assertThat(prices.get(shop, id -> catalog.prices(id))).isEqualTo(new PriceList(1, 110));
  }

  @Test
  void storeUsesConfiguredSchema() {
    String schemaName = schema.name();
    int shards = 1;
    CacheStore store = CacheStore.in(dataSource, holdfast.dialect(), schemaName, shards);

    assertThat(store.get("prices:1")).isEqualTo(CacheStore.Found.NOTHING);
  }

  @Test
  void aPageNeverWaits() throws Exception {
    CacheStore store = CacheStore.using(dataSource);
    SharedCache<Long, PriceList> patient =
        SharedCache.<Long, PriceList>named("prices")
            .values(JsonValues.of(PriceList.class))
            .freshFor(Duration.ofMinutes(5))
            .staleFor(Duration.ofMinutes(5))
            .fallbackFor(Duration.ofHours(1))
            .patience(Duration.ofSeconds(2))
            .on(holdfast.leases(), store);

    assertThat(patient.get(1L, id -> catalog.prices(id))).isEqualTo(new PriceList(1, 100));
  }
}
