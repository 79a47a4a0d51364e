-- Cached values that processes share. generation: of the newest invalidation, 0 where there was none; token: of the lease under
-- which the value was loaded; kept_until: when the row may go; waiting_until: for so long somebody wants to be told of a value.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_cache (
  shard smallint NOT NULL,
  name varchar(300) COLLATE "C" NOT NULL,
  generation bigint NOT NULL,
  token bigint NOT NULL,
  body bytea,
  fresh_until timestamp(6) with time zone NOT NULL,
  kept_until timestamp(6) with time zone NOT NULL,
  waiting_until timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (shard, name)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);

-- Does not begin with the shard: before the table is analyzed, it would be taken for as good as the key, and read from end to end.
CREATE INDEX IF NOT EXISTS holdfast_cache_kept ON ${schema}holdfast_cache (kept_until);
