-- Whether the branch that ends with the run has read what somebody else than the user and the operator may have written. Nobody noted it for
-- the runs that are there: they count as if they had.
ALTER TABLE runs ADD COLUMN tainted BOOLEAN NOT NULL DEFAULT TRUE;
