-- +goose Up
CREATE TABLE farm_tokens (
    hash    TEXT PRIMARY KEY,
    pool    TEXT NOT NULL,
    labels  TEXT NOT NULL,
    project TEXT NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    used    BIGINT NOT NULL DEFAULT 0,
    host    TEXT NOT NULL DEFAULT ''
);
CREATE TABLE farm_hosts (
    id         TEXT PRIMARY KEY,
    public_key TEXT NOT NULL UNIQUE,
    pool       TEXT NOT NULL,
    labels     TEXT NOT NULL,
    project    TEXT NOT NULL,
    version    TEXT NOT NULL,
    joined     BIGINT NOT NULL,
    seen       BIGINT NOT NULL,
    revoked    BIGINT NOT NULL DEFAULT 0
);
