-- Runs that survive: the event log, the journal of tool calls, branches, search, feedback, instructions.

-- A thread's head is the run at the end of the branch that is shown. number stands for the thread in the search index.
ALTER TABLE threads ADD COLUMN head       TEXT    NOT NULL DEFAULT '';
ALTER TABLE threads ADD COLUMN branched   BOOLEAN NOT NULL DEFAULT FALSE; -- whether any run did not go on from the one begun before
ALTER TABLE threads ADD COLUMN deleted_at BIGINT;
ALTER TABLE threads ADD COLUMN number     BIGINT;

UPDATE threads SET
    number = rowid,
    head = coalesce((SELECT r.id FROM runs r
        WHERE r.tenant = threads.tenant AND r.subject = threads.subject AND r.thread_id = threads.id ORDER BY r.seq DESC LIMIT 1), '');

CREATE UNIQUE INDEX threads_number ON threads (number);
CREATE INDEX threads_deleted ON threads (deleted_at) WHERE deleted_at IS NOT NULL;

-- number stands for the run in the event log, which holds its events in the rows from log_from to log_to (NULL: the end of the log).
-- Numbers and log_from grow together. A run without a number has no events in the log: they were purged, or never there.
ALTER TABLE runs ADD COLUMN epoch         BIGINT NOT NULL DEFAULT 1;
ALTER TABLE runs ADD COLUMN last_seq      BIGINT; -- of its last event, once it has ended
ALTER TABLE runs ADD COLUMN interrupts    TEXT;   -- JSON
ALTER TABLE runs ADD COLUMN input         TEXT;   -- JSON, until it has ended
ALTER TABLE runs ADD COLUMN first_user    TEXT;   -- the id of the first user message it brought, empty where it brought none
ALTER TABLE runs ADD COLUMN first_preview TEXT;
ALTER TABLE runs ADD COLUMN number        BIGINT;
ALTER TABLE runs ADD COLUMN log_from      BIGINT;
ALTER TABLE runs ADD COLUMN log_to        BIGINT;

-- Until now a thread was one line of runs, whatever parent a client named.
UPDATE runs SET parent_run_id = coalesce((SELECT p.id FROM runs p
    WHERE p.tenant = runs.tenant AND p.subject = runs.subject AND p.thread_id = runs.thread_id AND p.seq < runs.seq
    ORDER BY p.seq DESC LIMIT 1), '-');

CREATE UNIQUE INDEX runs_logged ON runs (number) WHERE number IS NOT NULL;

-- The events that were committed together are one row, whosever they are: a row for each would cost more than sending them.
CREATE TABLE event_log (
    id   INTEGER PRIMARY KEY,
    at   BIGINT NOT NULL,
    runs BLOB   NOT NULL, -- which piece of body is whose: see log.go
    body BLOB   NOT NULL
);

CREATE TABLE tool_calls (
    tenant     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    thread_id  TEXT   NOT NULL,
    run_id     TEXT   NOT NULL,
    seq        BIGINT NOT NULL, -- the order planned in, over the whole thread
    id         TEXT   NOT NULL,
    tool       TEXT   NOT NULL,
    effect     TEXT   NOT NULL,
    args       TEXT,  -- JSON
    state      TEXT   NOT NULL,
    result     BLOB   NOT NULL DEFAULT x'', -- text, which may hold NUL
    payload    TEXT,  -- JSON
    is_error   BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL,
    ended_at   BIGINT,
    PRIMARY KEY (tenant, subject, thread_id, id, run_id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX tool_calls_of_thread ON tool_calls (tenant, subject, thread_id, seq);

CREATE TABLE feedback (
    tenant     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    thread_id  TEXT   NOT NULL,
    message_id TEXT   NOT NULL,
    rating     BIGINT NOT NULL,
    comment    TEXT   NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject, thread_id, message_id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

-- Instructions belong to the tenant.
CREATE TABLE instructions (
    tenant     TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    text       TEXT   NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT   NOT NULL,
    PRIMARY KEY (tenant, kind, id)
);

-- The words of messages and titles, each once, as store.EachWord makes them; the tokenizer only has to part them at the spaces.
-- A row's id is the thread's number and, in the last 24 bits, the place of the message, 0 for the title.
CREATE VIRTUAL TABLE search USING fts5 (words, content='', contentless_delete=1, detail='none', tokenize='ascii');

-- What is not in the search index yet, oldest first: putting it there costs more than storing it, and waits for a quiet moment, or for
-- somebody who searches. A line a place: its id, 1 where it may be in the index already, and its words, parted by tabs.
CREATE TABLE search_waiting (
    id   INTEGER PRIMARY KEY,
    docs TEXT NOT NULL
);

-- How many places of a history are in the search index. Those that are not are read when somebody searches.
ALTER TABLE histories ADD COLUMN indexed BIGINT NOT NULL DEFAULT 0;
