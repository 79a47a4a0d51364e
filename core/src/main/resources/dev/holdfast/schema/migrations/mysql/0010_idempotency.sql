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
  owner_id binary(16) NOT NULL,
  attempts integer NOT NULL,
  completed boolean NOT NULL,
  released boolean NOT NULL,
  started_at datetime(6) NOT NULL,
  lease_until datetime(6),
  expires_at datetime(6) NOT NULL,
  workflow varchar(200),
  input mediumblob,
  steps mediumblob,
  result_kind smallint,
  result mediumblob,
  PRIMARY KEY (shard, id),
  KEY holdfast_idempotency_expires (expires_at),
  KEY holdfast_idempotency_workflow (workflow, completed, lease_until)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
