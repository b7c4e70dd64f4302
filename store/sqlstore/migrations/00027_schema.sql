-- Every key begins with the owner: ids are chosen by clients and mean something only inside their
-- owner. Times are milliseconds since the Unix epoch. JSON is text, kept byte for byte: a jsonb
-- column would refuse \u0000 and reorder keys.

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
    -- The run at the end of the branch that is shown.
    head       TEXT    NOT NULL DEFAULT '',
    branched   BOOLEAN NOT NULL DEFAULT FALSE, -- whether any run did not go on from the one begun before
    deleted_at BIGINT,
    -- It stands for the thread in the search index.
    number     BIGINT,
    pinned     BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (tenant, subject, id)
);

CREATE INDEX threads_newest ON threads (tenant, subject, updated_at, id);
CREATE UNIQUE INDEX threads_number ON threads (number);
CREATE INDEX threads_deleted ON threads (deleted_at) WHERE deleted_at IS NOT NULL;
-- Pinned threads come first in the owner's list; lists of other protocols stay newest first.
CREATE INDEX threads_pinned_first ON threads (tenant, subject, pinned, updated_at, id);

CREATE TABLE runs (
    tenant        TEXT    NOT NULL,
    subject       TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    thread_id     TEXT    NOT NULL,
    seq           BIGINT  NOT NULL,
    agent         TEXT    NOT NULL,
    parent_run_id TEXT    NOT NULL,
    fingerprint   TEXT    NOT NULL,
    status        TEXT    NOT NULL,
    pending       TEXT, -- a JSON array of tool call ids
    error         TEXT    NOT NULL DEFAULT '',
    usage         TEXT, -- JSON
    created_at    BIGINT  NOT NULL,
    ended_at      BIGINT,
    epoch         BIGINT  NOT NULL DEFAULT 1,
    last_seq      BIGINT, -- of its last event, once it has ended
    interrupts    TEXT, -- JSON
    input         TEXT, -- JSON, until it has ended
    first_user    TEXT, -- the id of the first user message it brought, empty where it brought none
    first_preview TEXT,
    -- It stands for the run in the event log, which holds its events in the rows from log_from to
    -- log_to (NULL: the end of the log). Numbers and log_from grow together. A run without a number
    -- has no events in the log.
    number        BIGINT,
    log_from      BIGINT,
    log_to        BIGINT,
    -- Whether the branch that ends with the run has read what somebody else than the user and the
    -- operator may have written.
    tainted       BOOLEAN NOT NULL DEFAULT TRUE,
    start_state   BIGINT, -- seq in states, NULL where there is no state
    state         BIGINT,
    PRIMARY KEY (tenant, subject, id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX runs_of_thread ON runs (tenant, subject, thread_id, seq);
CREATE INDEX runs_live ON runs (created_at) WHERE status = 'live';
CREATE UNIQUE INDEX runs_logged ON runs (number) WHERE number IS NOT NULL;

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

-- The messages a thread began with, where they are many: they take one row then, not one each.
-- Their places are those from 2 on. The row never changes; where one of its messages is replaced,
-- the new one stands in messages, at the same place.
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

-- The events that were committed together are one row, whosever they are: a row for each would cost
-- more than sending them.
CREATE TABLE event_log (
    id   INTEGER PRIMARY KEY,
    at   BIGINT  NOT NULL,
    runs BLOB    NOT NULL, -- which piece of body is whose: see log.go
    body BLOB    NOT NULL
);

CREATE TABLE tool_calls (
    tenant     TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    thread_id  TEXT    NOT NULL,
    run_id     TEXT    NOT NULL,
    seq        BIGINT  NOT NULL, -- the order planned in, over the whole thread
    id         TEXT    NOT NULL,
    tool       TEXT    NOT NULL,
    effect     TEXT    NOT NULL,
    args       TEXT, -- JSON
    state      TEXT    NOT NULL,
    result     BLOB    NOT NULL DEFAULT x'', -- text, which may hold NUL
    payload    TEXT, -- JSON
    is_error   BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT  NOT NULL,
    ended_at   BIGINT,
    -- Who agreed to a call: 'user', the id of an allowance, or '' if nobody had to. A planned call
    -- that runs after a crash is checked against it again.
    allowed_by TEXT    NOT NULL DEFAULT '',
    -- What a planned call was judged by.
    definition TEXT    NOT NULL DEFAULT '',
    -- Where the user was when the model made the call, as JSON: for calls of an earlier run that
    -- were approved since. NULL means where the run is that has the call.
    origin     TEXT,
    -- What the result rests on, as JSON; NULL where the tool named nothing. It is kept for calls
    -- that had finished before a crash, but whose result was not sent.
    sources    TEXT,
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
    -- What was wrong with an answer, in one word of a list.
    reason     TEXT   NOT NULL DEFAULT '',
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

-- The words of messages and titles, each once, as words.Each makes them; the tokenizer only has to
-- part them at the spaces. A row's id is the thread's number and, in the last 24 bits, the place of
-- the message, 0 for the title.
CREATE VIRTUAL TABLE search USING fts5 (words, content='', contentless_delete=1, detail='none', tokenize='ascii');

-- Words come to the search index in pieces of some hundred messages. Fewer, larger merges of those
-- pieces, and room for each of them in memory, make writing it a quarter cheaper. A search looks
-- through some more pieces.
INSERT INTO search (search, rank) VALUES ('automerge', 8);
INSERT INTO search (search, rank) VALUES ('hashsize', 4194304);

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
    args       TEXT, -- JSON
    args_hash  TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- The names of the arguments that may have any value, as a JSON list; NULL where all are fixed.
    open_args  TEXT,
    PRIMARY KEY (tenant, subject, thread_id, id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

-- What the search index does not say yet of a message or title, by the id of its row in the index.
-- It is read where it is stored when the index is written, in a quiet moment or before a search: so
-- nothing of it stands here.
CREATE TABLE search_pending (
    doc INTEGER PRIMARY KEY
);

-- Histories whose messages are pending as soon as their owner searches.
CREATE TABLE search_histories (
    tenant    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    PRIMARY KEY (tenant, subject, thread_id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

-- What model calls used, by day (UTC, days since 1970): tokens, and their cost in millionths of a
-- US dollar.
CREATE TABLE usage_users (
    tenant        TEXT   NOT NULL,
    subject       TEXT   NOT NULL,
    day           BIGINT NOT NULL,
    tokens        BIGINT NOT NULL CHECK (tokens >= 0),
    micro_dollars BIGINT NOT NULL CHECK (micro_dollars >= 0),
    PRIMARY KEY (tenant, subject, day)
);

-- The sums over all users of a tenant, so that no quota needs to add them up.
CREATE TABLE usage_tenants (
    tenant        TEXT   NOT NULL,
    day           BIGINT NOT NULL,
    tokens        BIGINT NOT NULL CHECK (tokens >= 0),
    micro_dollars BIGINT NOT NULL CHECK (micro_dollars >= 0),
    PRIMARY KEY (tenant, day)
);

-- What is set aside for the model calls under way. It counts up to the time in until, whatever
-- becomes of the run and its process.
CREATE TABLE usage_holds (
    tenant        TEXT   NOT NULL,
    subject       TEXT   NOT NULL,
    run_id        TEXT   NOT NULL,
    day           BIGINT NOT NULL,
    tokens        BIGINT NOT NULL CHECK (tokens >= 0),
    micro_dollars BIGINT NOT NULL CHECK (micro_dollars >= 0),
    until         BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject, run_id)
);

-- The audit log: a chain of rows per tenant. It is not part of a thread and outlives it. Filters
-- read body alone: a column of its own could be changed without the hash showing it.
CREATE TABLE audit_log (
    tenant TEXT   NOT NULL,
    day    TEXT   NOT NULL, -- in UTC
    seq    BIGINT NOT NULL, -- from 1 in each tenant, without gaps
    key_id TEXT   NOT NULL, -- of the key that sealed the row; '' for none
    prev   BLOB   NOT NULL, -- the hash of the row before
    hash   BLOB   NOT NULL,
    body   TEXT   NOT NULL, -- the entry as JSON
    PRIMARY KEY (tenant, day, seq)
) WITHOUT ROWID;

-- The newest row of each tenant, and the newest row that was purged.
CREATE TABLE audit_heads (
    tenant      TEXT   NOT NULL PRIMARY KEY,
    day         TEXT   NOT NULL,
    seq         BIGINT NOT NULL,
    key_id      TEXT   NOT NULL,
    hash        BLOB   NOT NULL,
    purged_day  TEXT   NOT NULL DEFAULT '',
    purged_seq  BIGINT NOT NULL DEFAULT 0,
    purged_hash BLOB   NOT NULL DEFAULT x'',
    purged_key  TEXT   NOT NULL DEFAULT '',
    purged_seal BLOB   NOT NULL DEFAULT x''
) WITHOUT ROWID;

-- These keep mistakes from the log. Somebody who can change the schema is found by its hashes.
CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
WHEN OLD.seq > coalesce((SELECT purged_seq FROM audit_heads WHERE tenant = OLD.tenant), 0)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_heads_no_delete BEFORE DELETE ON audit_heads
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_heads_forward BEFORE UPDATE ON audit_heads
WHEN NEW.tenant <> OLD.tenant OR NEW.seq < OLD.seq OR NEW.purged_seq < OLD.purged_seq
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

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
    args       TEXT, -- JSON
    open_args  TEXT, -- JSON
    args_hash  TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject, id)
);

-- Suggested actions that the server has run, so that one click has one effect.
CREATE TABLE actions (
    tenant      TEXT   NOT NULL,
    subject     TEXT   NOT NULL,
    key         TEXT   NOT NULL, -- the client's idempotency key
    fingerprint TEXT   NOT NULL, -- a hash of what the action does
    result      BLOB, -- the answer; NULL until there is one
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

-- Copies of threads that others of the tenant may read. They go with their thread. token_hash is
-- the SHA-256 of the secret that opens one, which is not stored.
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
