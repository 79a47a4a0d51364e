-- Exclusive jobs: the last run of each, and until when there is no other. token: that of its lease; only a greater one begins another run.
-- ends_by: until when its lease lasts. not_before: when the next may begin. outcome: 1 succeeded, 2 failed, 3 lost; null until it has ended.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_job (
  shard smallint NOT NULL,
  name varchar(300) COLLATE "C" NOT NULL,
  token bigint NOT NULL,
  holder varchar(200) NOT NULL,
  started_at timestamp(6) with time zone NOT NULL,
  ends_by timestamp(6) with time zone NOT NULL,
  not_before timestamp(6) with time zone NOT NULL,
  ended_at timestamp(6) with time zone,
  outcome smallint,
  failure varchar(1000),
  PRIMARY KEY (shard, name)
) WITH (fillfactor = 50);
