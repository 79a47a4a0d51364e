-- Idempotency records. id: SHA-256 of tenant, principal, operation and name. attempt: who works on it, or did last.
-- A record of a transaction has no leased_until: its row is the mark that it is in progress. One that is claimed is held until leased_until,
-- unless released; then leased_until tells when it may be completed by others. reply_kind: 0 answer, 1 refusal, 2 reference, 3 unkept.
-- flow and input: what it takes to complete it; steps: what is recorded of it, until it is done. What is written in the end fits the page.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_idempotency (
  shard smallint NOT NULL,
  id bytea NOT NULL,
  tenant varchar(200) NOT NULL,
  principal varchar(200) NOT NULL,
  operation varchar(200) NOT NULL,
  name varchar(255) NOT NULL,
  fingerprint bytea NOT NULL,
  attempt uuid NOT NULL,
  attempts integer NOT NULL,
  done boolean NOT NULL,
  released boolean NOT NULL,
  started_at timestamp(6) with time zone NOT NULL,
  leased_until timestamp(6) with time zone,
  kept_until timestamp(6) with time zone NOT NULL,
  flow varchar(200),
  input bytea,
  steps bytea,
  reply_kind smallint,
  reply bytea,
  PRIMARY KEY (shard, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

-- None is about done or the reply: so an answer changes no index.
CREATE INDEX IF NOT EXISTS holdfast_idempotency_kept ON ${schema}holdfast_idempotency (kept_until);
CREATE INDEX IF NOT EXISTS holdfast_idempotency_flow ON ${schema}holdfast_idempotency (flow, leased_until) WHERE flow IS NOT NULL AND leased_until IS NOT NULL;
