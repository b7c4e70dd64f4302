-- Where the user was when an earlier run made a call that was approved since, as JSON. NULL means
-- that it is where the run is that has the call. A call that goes on after a crash is told the same.
ALTER TABLE tool_calls ADD COLUMN origin TEXT;
