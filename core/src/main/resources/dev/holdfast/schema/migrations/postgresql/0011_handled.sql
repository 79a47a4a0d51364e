-- Of which queues an instance handles which types of events, so that events without a handler can be told apart from late
-- ones. queue: '*' for every queue. Written once by each instance, after it was registered.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_handled (
  shard smallint NOT NULL,
  instance bigint NOT NULL,
  queue varchar(100) NOT NULL,
  type varchar(200) NOT NULL,
  PRIMARY KEY (shard, instance, queue, type)
);
