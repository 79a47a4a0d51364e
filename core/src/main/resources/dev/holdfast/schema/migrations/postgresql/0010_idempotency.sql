-- Idempotency records. id: SHA-256 of tenant, principal, operation and idempotency_key. owner_id: who works on it, or did last.
-- A record of a transaction has no lease_until: its row is the mark that it is in progress. One that is claimed is held until lease_until,
-- unless released; then lease_until tells when it may be completed by others. result_kind: 0 answer, 1 refusal, 2 reference, 3 unkept.
-- workflow and input: what it takes to complete it; steps: what is recorded of it, until it is completed. What is written in the end fits the page.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_idempotency (
  shard smallint NOT NULL,
  id bytea NOT NULL,
  tenant varchar(200) NOT NULL,
  principal varchar(200) NOT NULL,
  operation varchar(200) NOT NULL,
  idempotency_key varchar(255) NOT NULL,
  fingerprint bytea NOT NULL,
  owner_id uuid NOT NULL,
  attempts integer NOT NULL,
  completed boolean NOT NULL,
  released boolean NOT NULL,
  started_at timestamp(6) with time zone NOT NULL,
  lease_until timestamp(6) with time zone,
  expires_at timestamp(6) with time zone NOT NULL,
  workflow varchar(200),
  input bytea,
  steps bytea,
  result_kind smallint,
  result bytea,
  PRIMARY KEY (shard, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

-- None is about completed or the result: so an answer changes no index.
CREATE INDEX IF NOT EXISTS holdfast_idempotency_expires ON ${schema}holdfast_idempotency (expires_at);
CREATE INDEX IF NOT EXISTS holdfast_idempotency_workflow ON ${schema}holdfast_idempotency (workflow, lease_until) WHERE workflow IS NOT NULL AND lease_until IS NOT NULL;
