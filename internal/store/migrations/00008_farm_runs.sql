-- +goose Up
CREATE TABLE farm_projects (
    id      TEXT PRIMARY KEY,
    weight  BIGINT NOT NULL DEFAULT 1,
    most    BIGINT NOT NULL DEFAULT 0,
    pass    BIGINT NOT NULL DEFAULT 0,
    served  BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE farm_pick (
    id BIGINT PRIMARY KEY
);
INSERT INTO farm_pick (id) VALUES (1);
CREATE TABLE farm_runs (
    id       TEXT PRIMARY KEY,
    project  TEXT NOT NULL,
    priority BIGINT NOT NULL,
    archive  TEXT NOT NULL,
    sealed   TEXT NOT NULL,
    created  BIGINT NOT NULL,
    seen     BIGINT NOT NULL,
    ended    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX farm_runs_seen ON farm_runs (ended, seen);
CREATE TABLE farm_lines (
    project TEXT NOT NULL,
    kind    TEXT NOT NULL,
    needs   TEXT NOT NULL,
    waiting BIGINT NOT NULL,
    PRIMARY KEY (project, kind)
);
CREATE TABLE farm_cases (
    run      TEXT NOT NULL REFERENCES farm_runs (id) ON DELETE CASCADE,
    n        BIGINT NOT NULL,
    project  TEXT NOT NULL,
    kind     TEXT NOT NULL,
    what     TEXT NOT NULL,
    rank     BIGINT NOT NULL,
    created  BIGINT NOT NULL,
    state    TEXT NOT NULL,
    attempt  BIGINT NOT NULL DEFAULT 0,
    lost     BIGINT NOT NULL DEFAULT 0,
    avoid    TEXT NOT NULL DEFAULT '',
    host     TEXT NOT NULL DEFAULT '',
    device   TEXT NOT NULL DEFAULT '',
    since    BIGINT NOT NULL DEFAULT 0,
    cancel   BIGINT NOT NULL DEFAULT 0,
    result   TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run, n)
);
CREATE INDEX farm_cases_waiting ON farm_cases (project, kind, rank, run, n) WHERE state = 'waiting';
CREATE UNIQUE INDEX farm_cases_device ON farm_cases (host, device) WHERE state = 'running';
CREATE INDEX farm_cases_ended ON farm_cases (run, n) WHERE state = 'ended';
