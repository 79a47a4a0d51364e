-- Events: durable work that is due at a time. All times are in UTC.
-- holdfast_event has an index for what is claimed next, what an instance has in its hands, and who comes
-- first among events of one ordering key; running_key is the ordering key of those that run.

-- Live events only; status 0 is PENDING, 1 is PROCESSING. After a crash, begun is the version that a handler has begun.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_event (
  shard smallint NOT NULL,
  id bigint NOT NULL AUTO_INCREMENT,
  status smallint NOT NULL,
  priority smallint NOT NULL,
  version integer NOT NULL,
  attempts integer NOT NULL,
  crashes integer NOT NULL,
  due_at datetime(6) NOT NULL,
  position_at datetime(6) NOT NULL,
  created_at datetime(6) NOT NULL,
  claimed_at datetime(6),
  useless_at datetime(6),
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
  error longtext,
  payload longtext,
  payload_bytes longblob,
  PRIMARY KEY (id),
  KEY holdfast_event_due (shard, queue, status, priority, due_at, id),
  KEY holdfast_event_owner (shard, owner),
  KEY holdfast_event_order (shard, ordering_key, position_at, id),
  UNIQUE KEY holdfast_event_running (shard, running_key)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Ended events; status 2 is COMPLETED, 3 FAILED, 4 CANCELLED. The index is for what is to be forgotten, and for which have failed.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_event_history (
  shard smallint NOT NULL,
  id bigint NOT NULL,
  status smallint NOT NULL,
  priority smallint NOT NULL,
  version integer NOT NULL,
  attempts integer NOT NULL,
  crashes integer NOT NULL,
  due_at datetime(6) NOT NULL,
  position_at datetime(6) NOT NULL,
  created_at datetime(6) NOT NULL,
  claimed_at datetime(6),
  useless_at datetime(6),
  ended_at datetime(6) NOT NULL,
  owner bigint,
  queue varchar(100) NOT NULL,
  type varchar(200) NOT NULL,
  event_key varchar(300),
  ordering_key varchar(300),
  limit_key varchar(300),
  tags varchar(1000),
  replay_of varchar(50),
  replayed_as varchar(50),
  error longtext,
  payload longtext,
  payload_bytes longblob,
  PRIMARY KEY (shard, id),
  KEY holdfast_event_history_ended (shard, status, ended_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Which keys are taken, for as long as their event is known, live or ended.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_event_key (
  shard smallint NOT NULL,
  event_key varchar(300) NOT NULL,
  id bigint NOT NULL,
  fingerprint varchar(64) NOT NULL,
  created_at datetime(6) NOT NULL,
  PRIMARY KEY (shard, event_key)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The instances that are alive: one small row each, renewed often.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_instance (
  id bigint NOT NULL AUTO_INCREMENT,
  name varchar(200) NOT NULL,
  started_at datetime(6) NOT NULL,
  expires_at datetime(6) NOT NULL,
  stopped boolean NOT NULL,
  PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What is paused: a queue ('queue') or a type ('type') by its name.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_pause (
  kind varchar(10) NOT NULL,
  name varchar(200) NOT NULL,
  paused_at datetime(6) NOT NULL,
  PRIMARY KEY (kind, name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What is limited: a queue ('queue'), a type ('type') or each limit key of a queue ('key'). Whoever claims under
-- a limit locks its row first. The rate is used up until next_at. At counted_at it was counted, and since then
-- claims were added and nothing taken away, so that no more than at_most are claimed.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_limit (
  kind varchar(10) NOT NULL,
  name varchar(200) NOT NULL,
  most_running integer,
  rate integer,
  period_micros bigint,
  next_at datetime(6),
  at_most integer,
  counted_at datetime(6),
  PRIMARY KEY (kind, name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
