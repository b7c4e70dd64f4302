-- Pinned threads come first in the owner's list, which has an index of its own: lists of other
-- protocols stay newest first.
ALTER TABLE threads ADD COLUMN pinned BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX threads_pinned_first ON threads (tenant, subject, pinned, updated_at, id);
