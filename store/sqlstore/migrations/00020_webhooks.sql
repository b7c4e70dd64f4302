-- Where clients want to be told of runs. They go with their thread.
CREATE TABLE webhooks (
    tenant     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    thread_id  TEXT   NOT NULL,
    run_id     TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    config     TEXT   NOT NULL, -- JSON, with the client's credentials
    told       TEXT   NOT NULL, -- what was told last
    done       BIGINT NOT NULL, -- 1: there is nothing more to tell
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject, run_id, id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

CREATE INDEX webhooks_of_threads ON webhooks (tenant, subject, thread_id);
CREATE INDEX webhooks_open ON webhooks (done) WHERE done = 0;
