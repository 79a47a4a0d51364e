-- What became of each attempt to make a webhook's call. The version is that of the event when it was claimed, so it is never the same for two attempts.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_webhook_attempt (
  shard smallint NOT NULL,
  event_id bigint NOT NULL,
  version integer NOT NULL,
  attempt integer NOT NULL,
  started_at timestamp(6) with time zone NOT NULL,
  duration_micros bigint NOT NULL,
  response_status integer,
  outcome varchar(10) NOT NULL,
  error text,
  response_excerpt text,
  instance_name varchar(200),
  remote_address varchar(100),
  PRIMARY KEY (shard, event_id, version)
);

-- What is to be forgotten.
CREATE INDEX IF NOT EXISTS holdfast_webhook_attempt_started ON ${schema}holdfast_webhook_attempt (shard, started_at);

-- With what webhooks are signed: all of these, each in clear, because whoever signs needs it.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_signing_secret (
  id varchar(20) NOT NULL,
  secret varchar(200) NOT NULL,
  created_at timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (id)
);

-- What tells this database from others in ids that others see, such as those of webhooks.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_property (
  name varchar(50) NOT NULL,
  property_value varchar(50) NOT NULL,
  created_at timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (name)
);
