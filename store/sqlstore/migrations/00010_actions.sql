-- The names of the arguments that may have any value, as a JSON list; NULL where all are fixed.
ALTER TABLE allowances ADD COLUMN open_args TEXT;

-- Standing approvals for all threads of a user.
CREATE TABLE user_allowances (
    tenant     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    thread_id  TEXT   NOT NULL, -- where it was given
    run_id     TEXT   NOT NULL,
    agent      TEXT   NOT NULL,
    tool       TEXT   NOT NULL,
    definition TEXT   NOT NULL, -- a hash
    args       TEXT,  -- JSON
    open_args  TEXT,  -- JSON
    args_hash  TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject, id)
);

-- What a planned call was judged by; empty in calls of earlier versions.
ALTER TABLE tool_calls ADD COLUMN definition TEXT NOT NULL DEFAULT '';

-- Suggested actions that the server has run, so that one click has one effect.
CREATE TABLE actions (
    tenant      TEXT   NOT NULL,
    subject     TEXT   NOT NULL,
    key         TEXT   NOT NULL, -- the client's idempotency key
    fingerprint TEXT   NOT NULL, -- a hash of what the action does
    result      BLOB,  -- the answer; NULL until there is one
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject, key)
);

-- Approvals of actions that wait for the user.
CREATE TABLE action_approvals (
    tenant      TEXT   NOT NULL,
    subject     TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    fingerprint TEXT   NOT NULL,
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject, id)
);
