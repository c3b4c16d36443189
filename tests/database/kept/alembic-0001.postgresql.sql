CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE studies (
    id SERIAL NOT NULL,
    name VARCHAR(100) NOT NULL,
    last BIGINT NOT NULL,
    CONSTRAINT pk_studies PRIMARY KEY (id),
    CONSTRAINT uq_studies_name UNIQUE (name)
);
CREATE TABLE events (
    study INTEGER NOT NULL,
    seq BIGINT NOT NULL,
    key VARCHAR(200),
    event TEXT NOT NULL,
    CONSTRAINT pk_events PRIMARY KEY (study, seq),
    CONSTRAINT uq_events_key UNIQUE (key, study),
    CONSTRAINT fk_events_study FOREIGN KEY(study) REFERENCES studies (id) ON DELETE CASCADE
);
CREATE TABLE snapshots (
    study INTEGER NOT NULL,
    seq BIGINT NOT NULL,
    body BYTEA NOT NULL,
    CONSTRAINT pk_snapshots PRIMARY KEY (study),
    CONSTRAINT fk_snapshots_study FOREIGN KEY(study) REFERENCES studies (id) ON DELETE CASCADE
);
CREATE TABLE ticket_keys (
    number SERIAL NOT NULL,
    key TEXT NOT NULL,
    CONSTRAINT pk_ticket_keys PRIMARY KEY (number)
);
CREATE TABLE api_keys (
    id VARCHAR(16) NOT NULL,
    name VARCHAR(200) NOT NULL,
    role VARCHAR(10) NOT NULL,
    digest BYTEA NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    revoked DOUBLE PRECISION,
    CONSTRAINT pk_api_keys PRIMARY KEY (id)
);
CREATE UNLOGGED TABLE open_duels (
    study INTEGER NOT NULL,
    voter TEXT NOT NULL,
    ticket TEXT NOT NULL,
    time DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_open_duels PRIMARY KEY (study, voter)
);
