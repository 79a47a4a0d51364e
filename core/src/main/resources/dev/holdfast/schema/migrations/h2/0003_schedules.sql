-- Schedules: recurrences that make events.
-- settled_at: every fire up to it is decided. next_fire_at: the first after it; null where it has ended or is paused.
-- superseded: the fingerprints of definitions that were replaced.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_schedule (
  shard smallint NOT NULL,
  name varchar(90) NOT NULL,
  version integer NOT NULL,
  paused boolean NOT NULL,
  settled_at timestamp(6) with time zone NOT NULL,
  next_fire_at timestamp(6) with time zone,
  last_fire_at timestamp(6) with time zone,
  last_event varchar(50),
  recurrence varchar(400) NOT NULL,
  missed varchar(40) NOT NULL,
  tolerance_millis integer NOT NULL,
  overlap varchar(10) NOT NULL,
  jitter_millis integer NOT NULL,
  fingerprint varchar(16) NOT NULL,
  superseded varchar(1000) NOT NULL,
  type varchar(200) NOT NULL,
  queue varchar(100) NOT NULL,
  priority smallint NOT NULL,
  tags varchar(1000),
  ordering_key varchar(300),
  payload character large object,
  payload_bytes varbinary(10000000),
  PRIMARY KEY (shard, name)
);

-- Which is due next.
CREATE INDEX IF NOT EXISTS ${schema}holdfast_schedule_due ON ${schema}holdfast_schedule (shard, next_fire_at, name);
