package dev.holdfast.race.guide;

import dev.holdfast.race.Crash;
import dev.holdfast.race.CrashTest;
import dev.holdfast.race.RaceReport;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The guide's crash tests, of the code that is fixed; and that its report is a real one. */
class RewardsGuideIT {
  private static final TestSchema SCHEMA = TestDatabase.postgreSql().newSchema();

  private final DataSource dataSource = SCHEMA.dataSource();
  private final Rewards rewards = new FixedRewards();

  @BeforeAll
  static void create() {
    SCHEMA.execute(
        "create table customers (id bigint primary key, points int not null)",
        "create table orders (id bigint primary key, customer bigint not null, rewarded boolean)",
        "insert into customers values (1, 0)");
  }

  @AfterAll
  static void drop() {
    SCHEMA.close();
  }

  @CrashTest
  void rewardsOrderOnce(Crash crash) {
    crash
        .given("insert into orders (id, customer, rewarded) values (7, 1, false)")
        .operation(ds -> rewards.reward(ds, 7, 1))
        .explore();
  }

  @CrashTest
  void rewardsOrderOnceBesideAnother(Crash crash) {
    crash
        .given("insert into orders (id, customer, rewarded) values (7, 1, false), (8, 1, false)")
        .operation(ds -> rewards.reward(ds, 7, 1))
        .concurrentActor("Ben", ds -> rewards.reward(ds, 8, 1))
        .explore();
  }

  @Test
  void theReportOfTheGuideIsThatOfItsCode() {
    Rewards broken = new Rewards();
    RaceReport report =
        Crash.create(dataSource)
            .name("RewardsTest.rewardsOrderOnce")
            .given("insert into orders (id, customer, rewarded) values (7, 1, false)")
            .operation(ds -> broken.reward(ds, 7, 1))
            .explore();

    GuideReport.of("crash").check(report);
  }
}
