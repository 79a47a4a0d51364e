package dev.holdfast.race.guide;
import dev.holdfast.race.*;
import dev.holdfast.testing.*;
import javax.sql.DataSource;
import org.junit.jupiter.api.*;
class GuideRunIT {
  static final TestSchema schema = TestDatabase.postgreSql().newSchema();
  final DataSource dataSource = schema.dataSource();
  final Coupons coupons = new Coupons();
  @BeforeAll static void tables() {
    schema.execute("create table coupons (code varchar(20) primary key, used boolean not null)",
     "create table redemptions (id bigint generated always as identity primary key, code varchar(20) not null, customer varchar(40) not null)");
  }
  @RaceTest
  void aCouponIsUsedOnce(Race race) {
    race.given("insert into coupons (code, used) values ('TEN', false)")
        .actor("Ana", ds -> coupons.redeem(ds, "TEN", "Ana"))
        .actor("Ben", ds -> coupons.redeem(ds, "TEN", "Ben"))
        .explore();
  }
}
