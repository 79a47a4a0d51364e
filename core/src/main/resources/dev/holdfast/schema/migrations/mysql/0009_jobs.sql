-- Exclusive jobs: the last run of each, and until when there is no other. token: that of its lease; only a greater one begins another run.
-- ends_by: until when its lease lasts. not_before: when the next may begin. outcome: 1 succeeded, 2 failed, 3 lost; null until it has ended.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_job (
  shard smallint NOT NULL,
  name varbinary(1200) NOT NULL,
  token bigint NOT NULL,
  holder varchar(200) NOT NULL,
  started_at datetime(6) NOT NULL,
  ends_by datetime(6) NOT NULL,
  not_before datetime(6) NOT NULL,
  ended_at datetime(6),
  outcome smallint,
  failure varchar(1000),
  PRIMARY KEY (shard, name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
