-- Copies of threads that others of the tenant may read. They go with their thread. token_hash is the
-- SHA-256 of the secret that opens one, which is not stored.
CREATE TABLE shares (
    tenant     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    thread_id  TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    token_hash TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    title      TEXT   NOT NULL,
    messages   TEXT   NOT NULL, -- a JSON array
    PRIMARY KEY (tenant, subject, thread_id, id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX shares_by_token ON shares (token_hash);
CREATE INDEX shares_expiring ON shares (expires_at);
