-- +goose Up
CREATE TABLE accounts (
    id         TEXT PRIMARY KEY,
    email      TEXT NOT NULL UNIQUE,
    password   TEXT NOT NULL,
    state      TEXT NOT NULL,
    admin      BIGINT NOT NULL DEFAULT 0,
    plan       TEXT NOT NULL,
    per_minute BIGINT NOT NULL DEFAULT 0,
    per_month  BIGINT NOT NULL DEFAULT 0,
    totp       TEXT NOT NULL DEFAULT '',
    totp_on    BIGINT NOT NULL DEFAULT 0,
    totp_step  BIGINT NOT NULL DEFAULT 0,
    created    BIGINT NOT NULL
);
CREATE TABLE recovery_codes (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    hash    TEXT NOT NULL,
    PRIMARY KEY (account, hash)
);
CREATE TABLE letters (
    hash    TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL,
    expires BIGINT NOT NULL
);
CREATE INDEX letters_account ON letters (account);
CREATE TABLE sessions (
    id      TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    created BIGINT NOT NULL,
    used    BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    address TEXT NOT NULL,
    agent   TEXT NOT NULL
);
CREATE INDEX sessions_account ON sessions (account);
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE TABLE refresh_tokens (
    hash    TEXT PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    used    BIGINT NOT NULL DEFAULT 0,
    expires BIGINT NOT NULL
);
CREATE INDEX refresh_tokens_session ON refresh_tokens (session);
CREATE TABLE signing_keys (
    id      TEXT PRIMARY KEY,
    private TEXT NOT NULL,
    public  TEXT NOT NULL,
    created BIGINT NOT NULL
);
CREATE TABLE projects (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    owner       TEXT NOT NULL REFERENCES accounts (id),
    created     BIGINT NOT NULL,
    report_days BIGINT NOT NULL,
    report_runs BIGINT NOT NULL
);
CREATE INDEX projects_owner ON projects (owner);
CREATE TABLE members (
    project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role    TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (project, account)
);
CREATE INDEX members_account ON members (account);
CREATE TABLE invitations (
    id      TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    email   TEXT NOT NULL,
    role    TEXT NOT NULL,
    hash    TEXT NOT NULL UNIQUE,
    author  TEXT NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL
);
CREATE INDEX invitations_project ON invitations (project);
CREATE TABLE api_keys (
    id       TEXT PRIMARY KEY,
    project  TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    author   TEXT NOT NULL,
    name     TEXT NOT NULL,
    scopes   TEXT NOT NULL,
    hash     TEXT NOT NULL,
    old_hash TEXT NOT NULL DEFAULT '',
    old_ends BIGINT NOT NULL DEFAULT 0,
    created  BIGINT NOT NULL,
    expires  BIGINT NOT NULL,
    used     BIGINT NOT NULL DEFAULT 0,
    revoked  BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX api_keys_project ON api_keys (project);
CREATE TABLE limits (
    name  TEXT PRIMARY KEY,
    taken BIGINT NOT NULL,
    used  BIGINT NOT NULL
);
CREATE TABLE limit_slots (
    name TEXT NOT NULL REFERENCES limits (name) ON DELETE CASCADE,
    slot BIGINT NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (name, slot)
);
CREATE TABLE usage_months (
    account TEXT NOT NULL,
    month   TEXT NOT NULL,
    n       BIGINT NOT NULL,
    PRIMARY KEY (account, month)
);
CREATE TABLE usage_days (
    project  TEXT NOT NULL,
    day      TEXT NOT NULL,
    who      TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    n        BIGINT NOT NULL,
    PRIMARY KEY (project, day, who, endpoint)
);
CREATE TABLE audit (
    id      TEXT PRIMARY KEY,
    at      BIGINT NOT NULL,
    project TEXT NOT NULL,
    account TEXT NOT NULL,
    actor   TEXT NOT NULL,
    action  TEXT NOT NULL,
    target  TEXT NOT NULL,
    address TEXT NOT NULL,
    result  TEXT NOT NULL
);
CREATE INDEX audit_project ON audit (project, at);
CREATE INDEX audit_account ON audit (account, at);
