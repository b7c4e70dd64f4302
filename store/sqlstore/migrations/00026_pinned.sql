-- Pinned threads come first in the list of threads, so the index that the list reads begins with it.
ALTER TABLE threads ADD COLUMN pinned BOOLEAN NOT NULL DEFAULT FALSE;
DROP INDEX threads_newest;
CREATE INDEX threads_newest ON threads (tenant, subject, pinned, updated_at, id);
