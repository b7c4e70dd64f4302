-- Where the user was when the model made the call, as JSON: for calls of an earlier run that were
-- approved since. NULL means where the run is that has the call. It is kept for calls that go on
-- after a crash.
ALTER TABLE tool_calls ADD COLUMN origin TEXT;
