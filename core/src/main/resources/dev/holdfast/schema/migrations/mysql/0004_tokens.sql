-- Who may use the service: tokens, of which only a hash is kept. A session is one that a sign-in with another has made. All times are in UTC.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_api_token (
  id varchar(20) NOT NULL,
  name varchar(100) NOT NULL,
  hash varchar(64) NOT NULL,
  parent_id varchar(20),
  created_at datetime(6) NOT NULL,
  expires_at datetime(6),
  PRIMARY KEY (id),
  UNIQUE (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
