-- The state that a page and its agent share, in every version that a run has begun or ended with.
-- Runs that do not change it refer to the same version.
CREATE TABLE states (
    tenant    TEXT   NOT NULL,
    subject   TEXT   NOT NULL,
    thread_id TEXT   NOT NULL,
    seq       BIGINT NOT NULL,
    body      TEXT   NOT NULL, -- JSON
    PRIMARY KEY (tenant, subject, thread_id, seq),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

ALTER TABLE runs ADD COLUMN start_state BIGINT; -- seq in states, NULL where there is no state
ALTER TABLE runs ADD COLUMN state       BIGINT;
