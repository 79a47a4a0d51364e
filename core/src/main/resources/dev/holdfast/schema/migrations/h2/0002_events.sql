-- Events: durable work that is due at a time. The shard is always 0; elsewhere tables can be distributed by it.
CREATE SEQUENCE IF NOT EXISTS ${schema}holdfast_event_id;

-- Live events only; status 0 is PENDING, 1 is PROCESSING. After a crash, begun is the version that a handler has begun.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_event (
  shard smallint NOT NULL,
  id bigint NOT NULL DEFAULT NEXT VALUE FOR ${schema}holdfast_event_id,
  status smallint NOT NULL,
  priority smallint NOT NULL,
  version integer NOT NULL,
  attempts integer NOT NULL,
  crashes integer NOT NULL,
  due_at timestamp(6) with time zone NOT NULL,
  position_at timestamp(6) with time zone NOT NULL,
  created_at timestamp(6) with time zone NOT NULL,
  claimed_at timestamp(6) with time zone,
  useless_at timestamp(6) with time zone,
  owner bigint,
  begun integer,
  cancel_requested boolean NOT NULL,
  queue varchar(100) NOT NULL,
  type varchar(200) NOT NULL,
  event_key varchar(300),
  ordering_key varchar(300),
  running_key varchar(300),
  limit_key varchar(300),
  tags varchar(1000),
  replay_of varchar(50),
  error character large object,
  payload character large object,
  payload_bytes varbinary(10000000),
  PRIMARY KEY (id)
);

-- What is claimed next: within a priority in due order.
CREATE INDEX IF NOT EXISTS ${schema}holdfast_event_due ON ${schema}holdfast_event (shard, queue, status, priority, due_at, id);

-- What an instance has in its hands.
CREATE INDEX IF NOT EXISTS ${schema}holdfast_event_owner ON ${schema}holdfast_event (shard, owner);

-- Who comes first among events of one ordering key, and that only one of them runs: running_key is the ordering key of those that do.
CREATE INDEX IF NOT EXISTS ${schema}holdfast_event_order ON ${schema}holdfast_event (shard, ordering_key, position_at, id);
CREATE UNIQUE INDEX IF NOT EXISTS ${schema}holdfast_event_running ON ${schema}holdfast_event (shard, running_key);

-- Ended events; status 2 is COMPLETED, 3 FAILED, 4 CANCELLED.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_event_history (
  shard smallint NOT NULL,
  id bigint NOT NULL,
  status smallint NOT NULL,
  priority smallint NOT NULL,
  version integer NOT NULL,
  attempts integer NOT NULL,
  crashes integer NOT NULL,
  due_at timestamp(6) with time zone NOT NULL,
  position_at timestamp(6) with time zone NOT NULL,
  created_at timestamp(6) with time zone NOT NULL,
  claimed_at timestamp(6) with time zone,
  useless_at timestamp(6) with time zone,
  ended_at timestamp(6) with time zone NOT NULL,
  owner bigint,
  queue varchar(100) NOT NULL,
  type varchar(200) NOT NULL,
  event_key varchar(300),
  ordering_key varchar(300),
  limit_key varchar(300),
  tags varchar(1000),
  replay_of varchar(50),
  replayed_as varchar(50),
  error character large object,
  payload character large object,
  payload_bytes varbinary(10000000),
  PRIMARY KEY (shard, id)
);

-- What is to be forgotten, and which have failed.
CREATE INDEX IF NOT EXISTS ${schema}holdfast_event_history_ended ON ${schema}holdfast_event_history (shard, status, ended_at);

-- Which keys are taken, for as long as their event is known, live or ended.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_event_key (
  shard smallint NOT NULL,
  event_key varchar(300) NOT NULL,
  id bigint NOT NULL,
  fingerprint varchar(64) NOT NULL,
  created_at timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (shard, event_key)
);

-- The instances that are alive: one small row each, renewed often.
CREATE SEQUENCE IF NOT EXISTS ${schema}holdfast_instance_id;
CREATE TABLE IF NOT EXISTS ${schema}holdfast_instance (
  id bigint NOT NULL DEFAULT NEXT VALUE FOR ${schema}holdfast_instance_id,
  name varchar(200) NOT NULL,
  started_at timestamp(6) with time zone NOT NULL,
  expires_at timestamp(6) with time zone NOT NULL,
  stopped boolean NOT NULL,
  PRIMARY KEY (id)
);

-- What is paused: a queue ('queue') or a type ('type') by its name.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_pause (
  kind varchar(10) NOT NULL,
  name varchar(200) NOT NULL,
  paused_at timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (kind, name)
);

-- What is limited: a queue ('queue'), a type ('type') or each limit key of a queue ('key'). Whoever claims under
-- a limit locks its row first. The rate is used up until next_at. At counted_at it was counted, and since then
-- claims were added and nothing taken away, so that no more than at_most are claimed.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_limit (
  kind varchar(10) NOT NULL,
  name varchar(200) NOT NULL,
  most_running integer,
  rate integer,
  period_micros bigint,
  next_at timestamp(6) with time zone,
  at_most integer,
  counted_at timestamp(6) with time zone,
  PRIMARY KEY (kind, name)
);
