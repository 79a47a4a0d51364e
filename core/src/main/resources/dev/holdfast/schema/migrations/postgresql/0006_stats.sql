-- What workers have done, counted by minute, queue and instance: to look at, not to account with. Each instance writes
-- rows of its own only, a few times in their minute. Lag is how late events were claimed, in microseconds.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_stat (
  shard smallint NOT NULL,
  at_minute timestamp(6) with time zone NOT NULL,
  queue varchar(100) NOT NULL,
  instance bigint NOT NULL,
  completed bigint NOT NULL,
  failed bigint NOT NULL,
  cancelled bigint NOT NULL,
  retried bigint NOT NULL,
  lag_count bigint NOT NULL,
  lag_sum bigint NOT NULL,
  lag_max bigint NOT NULL,
  PRIMARY KEY (shard, at_minute, queue, instance)
) WITH (fillfactor = 70);

-- How much there was to do when it was last counted: one row, so that it is of one moment and whose turn it is to count
-- is one conditional change. depths has a line for each queue: name, pending, due, processing, oldest due (or -).
CREATE TABLE IF NOT EXISTS ${schema}holdfast_depth (
  shard smallint NOT NULL,
  version bigint NOT NULL,
  next_at timestamp(6) with time zone NOT NULL,
  counted_at timestamp(6) with time zone,
  depths text,
  PRIMARY KEY (shard)
) WITH (fillfactor = 50);
