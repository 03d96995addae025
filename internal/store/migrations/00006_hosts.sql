-- +goose Up
CREATE TABLE hosts (
    id      TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    version TEXT NOT NULL,
    started BIGINT NOT NULL,
    seen    BIGINT NOT NULL,
    running BIGINT NOT NULL,
    queued  BIGINT NOT NULL
);
