-- Cached values that processes share. generation: of the newest invalidation, 0 where there was none; token: of the lease under
-- which the value was loaded; kept_until: when the row may go; waiting_until: for so long somebody wants to be told of a value.
-- Names are bytes of UTF-8: as text, trailing spaces would not count.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_cache (
  shard smallint NOT NULL,
  name varbinary(1200) NOT NULL,
  generation bigint NOT NULL,
  token bigint NOT NULL,
  body mediumblob,
  fresh_until datetime(6) NOT NULL,
  kept_until datetime(6) NOT NULL,
  waiting_until datetime(6) NOT NULL,
  PRIMARY KEY (shard, name),
  KEY holdfast_cache_kept (shard, kept_until)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
