package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.servlet.RequestTransactions;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

class HoldfastRequestTransactionsAutoConfigurationTest extends FilteredApplications {
  @Test
  void ownTransactionsTakeTheirPlace() {
    filtered
        .withBean("own", RequestTransactions.class, () -> (request, work) -> {})
        .run(context -> assertThat(context).hasSingleBean(RequestTransactions.class));
  }

  @Test
  void oneOfTwoTransactionManagersIsNotGuessed() {
    filtered
        .withBean("a", PlatformTransactionManager.class, this::manager)
        .withBean("b", PlatformTransactionManager.class, this::manager)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("SpringTransactions.on(manager, dataSource)"));
  }

  @Test
  void theTransactionsAreThoseOfTheDataSourceOfTheRecords() {
    DataSource elsewhere = h2();
    Holdfast.create(elsewhere).migrations().migrate();
    filtered
        .withBean("records", Holdfast.class, () -> Holdfast.create(elsewhere))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("data source of the records"));
  }

  @Test
  void aManagerOfAnotherDataSourceIsRefusedWhereTheFilterWouldUseIt() {
    PlatformTransactionManager elsewhere = new JdbcTransactionManager(h2());
    filtered
        .withBean(PlatformTransactionManager.class, () -> elsewhere)
        .run(
            context ->
                assertThat(context).getFailure().rootCause().hasMessageContaining("data source"));
    application
        .withBean(PlatformTransactionManager.class, () -> elsewhere)
        .run(context -> assertThat(context).hasNotFailed());
  }
}
