package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.transaction.Transaction;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A receipt for each order that is paid, and a report every night. */
class ReceiptExampleIT extends Shop {
  record Receipt(long order) {}

  record Report(String of) {}

  static final EventType<Receipt> RECEIPT = EventType.of("receipt", Receipt.class);
  static final EventType<Report> REPORT = EventType.of("report", Report.class);

  private final Orders orders = new Orders();
  private final Mailer mailer = new Mailer();
  private final Reports reports = new Reports();

  private static final class Orders {
    void pay(Transaction tx, long order) {
      ConditionalUpdate.table("orders")
          .where("id", order)
          .transition("status", "PENDING", "PAID")
          .apply(tx);
    }
  }

  private static final class Mailer {
    final CountDownLatch sent = new CountDownLatch(1);

    /** Sends once for each id. */
    void send(Receipt receipt, EventId id) {
      assertThat(receipt.order()).isEqualTo(7);
      assertThat(id).isNotNull();
      sent.countDown();
    }
  }

  private static final class Reports {
    final CountDownLatch written = new CountDownLatch(1);

    void write(Report report) {
      assertThat(report.of()).isEqualTo("sales");
      written.countDown();
    }
  }

  @BeforeEach
  void makeTables() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute(
        "create table orders (id bigint primary key, status varchar(20) not null)",
        "insert into orders values (7, 'PENDING')");
  }

  @Test
  void sendsReceiptAndNightlyReport() throws Exception {
    long order = 7;

    holdfast
        .transactions()
        .run(
            tx -> {
              orders.pay(tx, order);
              holdfast.events().schedule(RECEIPT.event(new Receipt(order)));
            });

    holdfast
        .schedules()
        .declare(
            Schedule.of(
                "nightly-report",
                Recurrence.daily(LocalTime.of(3, 0), ZoneId.of("Europe/Madrid")),
                REPORT.event(new Report("sales"))));
    Worker worker =
        holdfast
            .worker()
            .handle(RECEIPT, (receipt, context) -> mailer.send(receipt, context.id()))
            .handle(REPORT, (report, context) -> reports.write(report))
            .start();

    try (worker) {
      holdfast.schedules().trigger("nightly-report");
      assertThat(mailer.sent.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(reports.written.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }
}
