-- Events: durable work that is due at a time. Every key begins with the shard, so that the tables can be distributed.
CREATE SEQUENCE IF NOT EXISTS ${schema}holdfast_event_id;

-- Live events only; status 0 is PENDING, 1 is PROCESSING. After a crash, begun is the version that a handler has begun. Rows are short-lived, so vacuum comes often.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_event (
  shard smallint NOT NULL,
  id bigint NOT NULL DEFAULT nextval('${schema}holdfast_event_id'),
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
  limit_key varchar(300),
  tags varchar(1000),
  replay_of varchar(50),
  error text,
  payload text,
  payload_bytes bytea,
  PRIMARY KEY (shard, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 2000, autovacuum_analyze_scale_factor = 0.05);

-- What is claimed next: within a priority in due order.
CREATE INDEX IF NOT EXISTS holdfast_event_due ON ${schema}holdfast_event (shard, queue, priority, due_at, id) WHERE status = 0;

-- What is claimed from a queue, and by whom.
CREATE INDEX IF NOT EXISTS holdfast_event_owner ON ${schema}holdfast_event (shard, queue, owner) WHERE status = 1;

-- Who comes first among events of one ordering key, and that only one of them runs.
CREATE INDEX IF NOT EXISTS holdfast_event_order ON ${schema}holdfast_event (shard, ordering_key, position_at, id) WHERE ordering_key IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS holdfast_event_running ON ${schema}holdfast_event (shard, ordering_key) WHERE status = 1 AND ordering_key IS NOT NULL;

-- Ended events; status 2 is COMPLETED, 3 FAILED, 4 CANCELLED. Days are dropped when they are over and their time has come.
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
  error text,
  payload text,
  payload_bytes bytea,
  PRIMARY KEY (shard, id, ended_at)
) PARTITION BY RANGE (ended_at);
-- Workers make a partition for each day, ahead of it; what finds none, because they may not, is here and is deleted row by row.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_event_history_rest PARTITION OF ${schema}holdfast_event_history DEFAULT;
CREATE INDEX IF NOT EXISTS holdfast_event_history_rest_ended ON ${schema}holdfast_event_history_rest (ended_at);

-- Those to look at, the newest first. Completed ones, which are most, are not in it and pay nothing.
CREATE INDEX IF NOT EXISTS holdfast_event_history_status ON ${schema}holdfast_event_history (shard, status, id) WHERE status <> 2;

-- Which keys are taken, for as long as their event is known, live or ended.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_event_key (
  shard smallint NOT NULL,
  event_key varchar(300) NOT NULL,
  id bigint NOT NULL,
  fingerprint varchar(64) NOT NULL,
  created_at timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (shard, event_key)
);

-- The instances that are alive: one small row each, renewed often, so that there is room on its page.
CREATE SEQUENCE IF NOT EXISTS ${schema}holdfast_instance_id;
CREATE TABLE IF NOT EXISTS ${schema}holdfast_instance (
  id bigint NOT NULL DEFAULT nextval('${schema}holdfast_instance_id'),
  name varchar(200) NOT NULL,
  started_at timestamp(6) with time zone NOT NULL,
  expires_at timestamp(6) with time zone NOT NULL,
  stopped boolean NOT NULL,
  PRIMARY KEY (id)
) WITH (fillfactor = 50);

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
) WITH (fillfactor = 50);
