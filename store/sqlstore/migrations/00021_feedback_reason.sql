-- What was wrong with an answer, in one word of a list.
ALTER TABLE feedback ADD COLUMN reason TEXT NOT NULL DEFAULT '';
