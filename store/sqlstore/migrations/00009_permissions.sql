-- Who agreed to a call: 'user', the id of an allowance, or '' where nobody had to. It is asked again before a planned call runs after a crash.
ALTER TABLE tool_calls ADD COLUMN allowed_by TEXT NOT NULL DEFAULT '';
