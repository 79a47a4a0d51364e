-- Which migrations have run here. InnoDB, because the lock of the migrators is the lock of a row.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_migration (
  version integer NOT NULL,
  name varchar(100) NOT NULL,
  checksum varchar(64) NOT NULL,
  applied_at timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (version)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
