-- +goose Up
CREATE TABLE webhooks (
    id      TEXT PRIMARY KEY,
    digest  TEXT NOT NULL,
    created BIGINT NOT NULL
);
