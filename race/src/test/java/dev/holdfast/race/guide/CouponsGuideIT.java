package dev.holdfast.race.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.Race;
import dev.holdfast.race.RaceReport;
import dev.holdfast.race.RaceTest;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The guide's tests, of the code that is fixed in it; and that its report is a real one. */
class CouponsGuideIT {
  private static final TestSchema SCHEMA = CouponTables.create();

  private final DataSource dataSource = SCHEMA.dataSource();
  private final Coupons coupons = new FixedCoupons();

  @AfterAll
  static void drop() {
    SCHEMA.close();
  }

  @RaceTest
  void usesCouponOnce(Race race) {
    race.given("insert into coupons (code, used) values ('TEN', false)")
        .actor("Ana", ds -> coupons.redeem(ds, "TEN", "Ana"))
        .actor("Ben", ds -> coupons.redeem(ds, "TEN", "Ben"))
        .explore();
  }

  @Test
  void theReportOfTheGuideIsThatOfItsCode() {
    Coupons broken = new Coupons();
    RaceReport report =
        Race.create(dataSource)
            .name("CouponsTest.usesCouponOnce")
            .given("insert into coupons (code, used) values ('TEN', false)")
            .actor("Ana", ds -> broken.redeem(ds, "TEN", "Ana"))
            .actor("Ben", ds -> broken.redeem(ds, "TEN", "Ben"))
            .explore();

    GuideReport.of("coupon").check(report);
  }

  @Test
  void showsReportOfFixedCode() {
    RaceReport report =
        Race.create(dataSource)
            .name("CouponsTest.usesCouponOnce")
            .given("insert into coupons (code, used) values ('TEN', false)")
            .actor("Ana", ds -> coupons.redeem(ds, "TEN", "Ana"))
            .actor("Ben", ds -> coupons.redeem(ds, "TEN", "Ben"))
            .explore();

    GuideReport.of("fixed").check(report);
  }

  @Test
  void ignoredGuardStaysRed() {
    Coupons halfFixed = new HalfFixedCoupons();
    RaceReport report =
        Race.create(dataSource)
            .given("insert into coupons (code, used) values ('TEN', false)")
            .actors(2, ds -> halfFixed.redeem(ds, "TEN", "Ana"))
            .explore();

    assertThat(report.hasFinding()).as(report.text()).isTrue();
  }

  @RaceTest
  void threeAtOnce(Race race) {
    race.given("insert into coupons (code, used) values ('TEN', false)")
        .actors(3, ds -> coupons.redeem(ds, "TEN", "Ana"))
        .explore();
  }

  @RaceTest
  void anInvariantDecides(Race race) {
    race.given("insert into coupons (code, used) values ('TEN', false)")
        .actors(2, ds -> coupons.redeem(ds, "TEN", "Ana"))
        .invariant("one redemption", "select count(*) <= 1 from redemptions where code = 'TEN'")
        .explore();
  }

  @RaceTest
  void aResultIsCompared(Race race) {
    race.given("insert into coupons (code, used) values ('TEN', false), ('OLD', true)")
        .actor("Ana", ds -> coupons.redeem(ds, "TEN", "Ana"))
        .actorWithResult("Ben", ds -> coupons.unused(ds))
        .explore();
  }

  @RaceTest
  void oneMailIsSent(Race race) {
    race.given("insert into coupons (code, used) values ('TEN', false)")
        .actors(
            2,
            ds -> {
              coupons.redeem(ds, "TEN", "Ana");
              race.sideEffect("mail to Ana");
            })
        .invariant("one mail", connection -> race.sideEffectCount("mail to Ana") <= 1)
        .explore();
  }

  @RaceTest
  void atEveryLevel(Race race) {
    race.given("insert into coupons (code, used) values ('TEN', false)")
        .actors(2, ds -> coupons.redeem(ds, "TEN", "Ana"))
        .isolation(Isolation.READ_COMMITTED, Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE)
        .timeLimit(Duration.ofSeconds(10))
        .allow(SqlError.DEADLOCK)
        .explore();
  }

  @Test
  void withoutJUnit() {
    RaceReport report =
        Race.create(dataSource)
            .name("coupons")
            .given("insert into coupons (code, used) values ('TEN', false)")
            .actors(2, ds -> coupons.redeem(ds, "TEN", "Ana"))
            .explore();
    if (report.hasFinding()) {
      System.out.println(report.text());
    }

    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.isExhaustive()).isTrue();
  }
}
