-- What the search index does not say yet of a message or title, by the id of its row in the index. It is read where it is stored when the
-- index is written, in a quiet moment or before a search: so nothing of it stands here.
CREATE TABLE search_pending (
    doc INTEGER PRIMARY KEY
);

INSERT OR IGNORE INTO search_pending (doc)
WITH RECURSIVE line (rest) AS (
    SELECT docs FROM search_waiting
    UNION ALL
    SELECT substr(rest, instr(rest, char(10)) + 1) FROM line WHERE instr(rest, char(10)) BETWEEN 1 AND length(rest) - 1
)
SELECT CAST(rest AS INTEGER) FROM line;

DROP TABLE search_waiting;

-- Histories whose messages are pending as soon as their owner searches. histories.indexed is not used any more.
CREATE TABLE search_histories (
    tenant    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    PRIMARY KEY (tenant, subject, thread_id),
    FOREIGN KEY (tenant, subject, thread_id) REFERENCES threads (tenant, subject, id) ON DELETE CASCADE
);

INSERT INTO search_histories (tenant, subject, thread_id)
SELECT h.tenant, h.subject, h.thread_id FROM histories h
    JOIN threads t ON t.tenant = h.tenant AND t.subject = h.subject AND t.id = h.thread_id
WHERE h.indexed < t.history;
