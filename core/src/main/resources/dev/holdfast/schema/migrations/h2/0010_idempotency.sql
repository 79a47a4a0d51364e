-- Idempotency records. id: SHA-256 of tenant, principal, operation and idempotency_key. owner_id: who works on it, or did last.
-- A record of a transaction has no lease_until: its row is the mark that it is in progress. One that is claimed is held until lease_until,
-- unless released; then lease_until tells when it may be completed by others. result_kind: 0 answer, 1 refusal, 2 reference, 3 unkept.
-- workflow and input: what it takes to complete it; steps: what is recorded of it, until it is completed.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_idempotency (
  shard smallint NOT NULL,
  id binary(32) NOT NULL,
  tenant varchar(200) NOT NULL,
  principal varchar(200) NOT NULL,
  operation varchar(200) NOT NULL,
  idempotency_key varchar(255) NOT NULL,
  fingerprint binary(32) NOT NULL,
  owner_id uuid NOT NULL,
  attempts integer NOT NULL,
  completed boolean NOT NULL,
  released boolean NOT NULL,
  started_at timestamp(6) with time zone NOT NULL,
  lease_until timestamp(6) with time zone,
  expires_at timestamp(6) with time zone NOT NULL,
  workflow varchar(200),
  input varbinary(16777216),
  steps varbinary(16777216),
  result_kind smallint,
  result varbinary(16777216),
  PRIMARY KEY (shard, id)
);

CREATE INDEX IF NOT EXISTS ${schema}holdfast_idempotency_expires ON ${schema}holdfast_idempotency (expires_at);
CREATE INDEX IF NOT EXISTS ${schema}holdfast_idempotency_workflow ON ${schema}holdfast_idempotency (workflow, completed, lease_until);
