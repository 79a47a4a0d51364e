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
  attempt uuid NOT NULL,
  attempts integer NOT NULL,
  done boolean NOT NULL,
  released boolean NOT NULL,
  started_at timestamp(6) with time zone NOT NULL,
  leased_until timestamp(6) with time zone,
  kept_until timestamp(6) with time zone NOT NULL,
  flow varchar(200),
  input varbinary(16777216),
  steps varbinary(16777216),
  reply_kind smallint,
  reply varbinary(16777216),
  PRIMARY KEY (shard, id)
);

CREATE INDEX IF NOT EXISTS ${schema}holdfast_idempotency_kept ON ${schema}holdfast_idempotency (kept_until);
CREATE INDEX IF NOT EXISTS ${schema}holdfast_idempotency_flow ON ${schema}holdfast_idempotency (flow, done, leased_until);
