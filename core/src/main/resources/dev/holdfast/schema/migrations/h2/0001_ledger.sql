-- Which migrations have run here.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_migration (
  version integer NOT NULL,
  name varchar(100) NOT NULL,
  checksum varchar(64) NOT NULL,
  applied_at timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (version)
);
