-- Standing approvals: which calls run without asking.
CREATE TABLE allowances (
    tenant     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    thread_id  TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    run_id     TEXT   NOT NULL, -- the run in which it was given
    agent      TEXT   NOT NULL,
    tool       TEXT   NOT NULL,
    definition TEXT   NOT NULL, -- a hash
    args       TEXT,  -- JSON
    args_hash  TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject, thread_id, id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);
