-- Leases: who holds a name, until when, with which token. The kind is 0 for exclusive ones, 1 for read/write ones, 2 for semaphores.
-- owner: the acquisition that holds it, or did last. waiting: the process that waits for it, or * for several; told: whom
-- the last release has told. arrivals: how many got into the queue. Names are bytes of UTF-8: as text, trailing spaces would not count.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_lease (
  shard smallint NOT NULL,
  kind smallint NOT NULL,
  name varbinary(1200) NOT NULL,
  token bigint NOT NULL,
  owner binary(16),
  holder varchar(200),
  released boolean NOT NULL,
  acquired_at datetime(6) NOT NULL,
  expires_at datetime(6) NOT NULL,
  waiting varchar(200),
  waiting_until datetime(6),
  told varchar(200),
  arrivals bigint NOT NULL,
  PRIMARY KEY (shard, kind, name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Those who hold a shared lease, and those who wait in a queue: by their arrival.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_lease_entry (
  shard smallint NOT NULL,
  kind smallint NOT NULL,
  name varbinary(1200) NOT NULL,
  owner binary(16) NOT NULL,
  held boolean NOT NULL,
  arrival bigint NOT NULL,
  token bigint NOT NULL,
  permits integer NOT NULL,
  holder varchar(200) NOT NULL,
  expires_at datetime(6) NOT NULL,
  PRIMARY KEY (shard, kind, name, owner)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The newest token that was seen with a write to a resource.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_fence (
  shard smallint NOT NULL,
  resource varbinary(1200) NOT NULL,
  token bigint NOT NULL,
  seen_at datetime(6) NOT NULL,
  PRIMARY KEY (shard, resource)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
