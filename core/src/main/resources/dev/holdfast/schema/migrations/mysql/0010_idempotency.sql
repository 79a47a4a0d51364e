-- Idempotency records. id: SHA-256 of tenant, principal, operation and name. attempt: who works on it, or did last.
-- A record of a transaction has no leased_until: its row is the mark that it is in progress. One that is claimed is held until leased_until,
-- unless released; then leased_until tells when it may be completed by others. reply_kind: 0 answer, 1 refusal, 2 reference, 3 unkept.
-- flow and input: what it takes to complete it; steps: what is recorded of it, until it is done.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_idempotency (
  shard smallint NOT NULL,
  id binary(32) NOT NULL,
  tenant varchar(200) NOT NULL,
  principal varchar(200) NOT NULL,
  operation varchar(200) NOT NULL,
  name varchar(255) NOT NULL,
  fingerprint binary(32) NOT NULL,
  attempt binary(16) NOT NULL,
  attempts integer NOT NULL,
  done boolean NOT NULL,
  released boolean NOT NULL,
  started_at datetime(6) NOT NULL,
  leased_until datetime(6),
  kept_until datetime(6) NOT NULL,
  flow varchar(200),
  input mediumblob,
  steps mediumblob,
  reply_kind smallint,
  reply mediumblob,
  PRIMARY KEY (shard, id),
  KEY holdfast_idempotency_kept (kept_until),
  KEY holdfast_idempotency_flow (flow, done, leased_until)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
