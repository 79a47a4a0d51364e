package dev.holdfast.race.guide;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;

/** A schema with the tables of the guide. */
final class CouponTables {
  private static final String COUPONS =
      "create table coupons (code varchar(20) primary key, used boolean not null)";

  private static final String REDEMPTIONS =
      """
      create table redemptions (
        id bigint generated always as identity primary key,
        code varchar(20) not null,
        customer varchar(40) not null)
      """;

  private CouponTables() {}

  static TestSchema create() {
    TestSchema schema = TestDatabase.postgreSql().newSchema();
    schema.execute(COUPONS, REDEMPTIONS);
    return schema;
  }
}
