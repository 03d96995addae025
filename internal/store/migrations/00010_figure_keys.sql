-- +goose Up
CREATE TABLE figure_keys (
    id      TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    created BIGINT NOT NULL,
    used    BIGINT NOT NULL DEFAULT 0,
    revoked BIGINT NOT NULL DEFAULT 0
);
