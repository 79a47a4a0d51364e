package dev.holdfast.web;

import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OnPostgreSql.class)
class PostgreSqlFuzzIT extends FuzzTest {}
