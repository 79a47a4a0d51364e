-- Who may use the service: tokens, of which only a hash is kept. A session is one that a sign-in with another has made.
CREATE TABLE IF NOT EXISTS ${schema}holdfast_api_token (
  id varchar(20) NOT NULL,
  name varchar(100) NOT NULL,
  hash varchar(64) NOT NULL,
  parent_id varchar(20),
  created_at timestamp(6) with time zone NOT NULL,
  expires_at timestamp(6) with time zone,
  PRIMARY KEY (id),
  UNIQUE (name)
);
