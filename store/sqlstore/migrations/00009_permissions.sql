-- Who agreed to a call: 'user', the id of an allowance, or '' if nobody had to. A planned call that
-- runs after a crash is checked against it again.
ALTER TABLE tool_calls ADD COLUMN allowed_by TEXT NOT NULL DEFAULT '';
