-- Every key begins with the owner: ids are chosen by clients and mean something only inside their owner.
-- Times are milliseconds since the Unix epoch. JSON is text, kept byte for byte: a jsonb column would refuse \u0000
-- and reorder keys.

CREATE TABLE threads (
    tenant     TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    agent      TEXT    NOT NULL,
    title      TEXT    NOT NULL DEFAULT '',
    archived   BOOLEAN NOT NULL DEFAULT FALSE,
    last_seq   BIGINT  NOT NULL, -- the highest seq given to a run or message of the thread
    history    BIGINT  NOT NULL, -- how many places its row in histories takes; 0 where it has none
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    PRIMARY KEY (tenant, subject, id)
);

CREATE INDEX threads_newest ON threads (tenant, subject, updated_at, id);

CREATE TABLE runs (
    tenant        TEXT   NOT NULL,
    subject       TEXT   NOT NULL,
    id            TEXT   NOT NULL,
    thread_id     TEXT   NOT NULL,
    seq           BIGINT NOT NULL,
    agent         TEXT   NOT NULL,
    parent_run_id TEXT   NOT NULL,
    fingerprint   TEXT   NOT NULL,
    status        TEXT   NOT NULL,
    pending       TEXT,  -- a JSON array of tool call ids
    error         TEXT   NOT NULL DEFAULT '',
    usage         TEXT,  -- JSON
    created_at    BIGINT NOT NULL,
    ended_at      BIGINT,
    PRIMARY KEY (tenant, subject, id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX runs_of_thread ON runs (tenant, subject, thread_id, seq);
CREATE INDEX runs_live ON runs (created_at) WHERE status = 'live';

CREATE TABLE messages (
    tenant     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    thread_id  TEXT   NOT NULL,
    seq        BIGINT NOT NULL,
    id         TEXT   NOT NULL,
    run_id     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    body       TEXT   NOT NULL, -- the message as JSON
    PRIMARY KEY (tenant, subject, thread_id, seq),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX messages_of_thread ON messages (tenant, subject, thread_id, id);

-- The messages a thread began with, where they are many: they take one row then, not one each. Their places are those from
-- 2 on. The row never changes; where one of its messages is replaced, the new one stands in messages, at the same place.
CREATE TABLE histories (
    tenant     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    thread_id  TEXT   NOT NULL,
    run_id     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    ids        TEXT   NOT NULL, -- one JSON string a line, empty where a place has no message
    bodies     TEXT   NOT NULL, -- one message a line, as JSON, empty where a place has none
    PRIMARY KEY (tenant, subject, thread_id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

-- One row that is written to learn whether the store can be written.
CREATE TABLE health (
    id         BIGINT NOT NULL PRIMARY KEY,
    written_at BIGINT NOT NULL
);

INSERT INTO health (id, written_at) VALUES (1, 0);
