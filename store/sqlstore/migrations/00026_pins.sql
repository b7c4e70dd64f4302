-- Threads that their owner keeps at the top of the list.
ALTER TABLE threads ADD COLUMN pinned BOOLEAN NOT NULL DEFAULT FALSE;

CREATE INDEX threads_pinned_first ON threads (tenant, subject, pinned, updated_at, id);
