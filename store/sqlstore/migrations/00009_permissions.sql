-- Who agreed to a call: 'user', the id of an allowance, or '' where nobody had to. It is asked again before a planned call runs after a crash.
ALTER TABLE tool_calls ADD COLUMN allowed_by TEXT NOT NULL DEFAULT '';
-- Whether whoever wrote the instructions of a scope was permitted to. Nobody noted it for those that are there.
ALTER TABLE instructions ADD COLUMN trusted BOOLEAN NOT NULL DEFAULT FALSE;
