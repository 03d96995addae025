-- +goose Up
DROP TABLE limit_slots;
DELETE FROM limits;
ALTER TABLE limits ADD COLUMN oldest BIGINT NOT NULL DEFAULT 1;
CREATE TABLE limit_requests (
    name TEXT NOT NULL REFERENCES limits (name) ON DELETE CASCADE,
    seq  BIGINT NOT NULL,
    at   BIGINT NOT NULL,
    PRIMARY KEY (name, seq)
);
CREATE INDEX limits_used ON limits (used);
CREATE INDEX sessions_expires ON sessions (expires);
CREATE INDEX refresh_tokens_expires ON refresh_tokens (expires);
CREATE INDEX letters_expires ON letters (expires);
CREATE INDEX invitations_expires ON invitations (expires);
