-- +goose Up
CREATE TABLE run_names (
    project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    run     TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (project, run)
);
CREATE INDEX run_names_created ON run_names (created);
