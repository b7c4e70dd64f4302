-- What a call's result rests on, as JSON. It is kept for calls that had finished before a crash, but
-- whose result was not sent. NULL means that the tool named nothing.
ALTER TABLE tool_calls ADD COLUMN sources TEXT;
