-- Cached values that processes share. generation: of the newest invalidation, 0 where there was none; token: of the lease under
-- which the value was loaded; kept_until: when the row may go; waiting_until: for so long somebody wants to be told of a value.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_cache (
  shard smallint NOT NULL,
  name varchar(300) NOT NULL,
  generation bigint NOT NULL,
  token bigint NOT NULL,
  body varbinary(16777216),
  fresh_until timestamp(6) with time zone NOT NULL,
  kept_until timestamp(6) with time zone NOT NULL,
  waiting_until timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (shard, name)
);

CREATE INDEX IF NOT EXISTS ${schema}holdfast_cache_kept ON ${schema}holdfast_cache (shard, kept_until);
