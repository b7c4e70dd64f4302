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
