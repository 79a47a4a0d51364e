-- What became of each attempt to make a webhook's call. The version is that of the event when it was claimed, so it is never the same for two attempts. All times are in UTC.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_webhook_attempt (
  shard smallint NOT NULL,
  event_id bigint NOT NULL,
  version integer NOT NULL,
  attempt integer NOT NULL,
  started_at datetime(6) NOT NULL,
  duration_micros bigint NOT NULL,
  response_status integer,
  outcome varchar(10) NOT NULL,
  error longtext,
  response_excerpt longtext,
  instance_name varchar(200),
  remote_address varchar(100),
  PRIMARY KEY (shard, event_id, version),
  KEY holdfast_webhook_attempt_started (shard, started_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- With what webhooks are signed: all of these, each in clear, because whoever signs needs it.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_signing_secret (
  id varchar(20) NOT NULL,
  secret varchar(200) NOT NULL,
  created_at datetime(6) NOT NULL,
  PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What tells this database from others in ids that others see, such as those of webhooks.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_property (
  name varchar(50) NOT NULL,
  property_value varchar(50) NOT NULL,
  created_at datetime(6) NOT NULL,
  PRIMARY KEY (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
