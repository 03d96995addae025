-- +goose Up
CREATE TABLE farm_archives (
    blob    TEXT PRIMARY KEY,
    project TEXT NOT NULL,
    sum     TEXT NOT NULL,
    used    BIGINT NOT NULL,
    ready   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX farm_archives_sum ON farm_archives (project, sum);
