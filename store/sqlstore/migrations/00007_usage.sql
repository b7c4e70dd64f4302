-- What model calls used, by day (UTC, days since 1970): tokens, and their cost in millionths of a
-- US dollar.
CREATE TABLE usage_users (
    tenant        TEXT   NOT NULL,
    subject       TEXT   NOT NULL,
    day           BIGINT NOT NULL,
    tokens        BIGINT NOT NULL CHECK (tokens >= 0),
    micro_dollars BIGINT NOT NULL CHECK (micro_dollars >= 0),
    PRIMARY KEY (tenant, subject, day)
);

-- The sums over all users of a tenant, so that no quota needs to add them up.
CREATE TABLE usage_tenants (
    tenant        TEXT   NOT NULL,
    day           BIGINT NOT NULL,
    tokens        BIGINT NOT NULL CHECK (tokens >= 0),
    micro_dollars BIGINT NOT NULL CHECK (micro_dollars >= 0),
    PRIMARY KEY (tenant, day)
);

-- What is set aside for the model calls under way. It counts up to the time in until, whatever
-- becomes of the run and its process.
CREATE TABLE usage_holds (
    tenant        TEXT   NOT NULL,
    subject       TEXT   NOT NULL,
    run_id        TEXT   NOT NULL,
    day           BIGINT NOT NULL,
    tokens        BIGINT NOT NULL CHECK (tokens >= 0),
    micro_dollars BIGINT NOT NULL CHECK (micro_dollars >= 0),
    until         BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject, run_id)
);
