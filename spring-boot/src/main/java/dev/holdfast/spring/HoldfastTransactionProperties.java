package dev.holdfast.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How Holdfast joins the transactions of Spring. Immutable.
 *
 * @param onMismatch what happens if a transaction is active, but not on the data source of Holdfast
 */
@ConfigurationProperties("holdfast.transactions")
public record HoldfastTransactionProperties(
    @DefaultValue("reject") SpringTransactionContext.OnMismatch onMismatch) {}
